// Erases a principal's personal data, and superseded secrets, from the vault on demand
// (docs/guides/keys-and-secrets.md, "Erase data").

import { z } from 'zod';

import {
  concludeErasure,
  eraseNamesInUsage,
  erasing,
  personalData,
  superseded,
} from '../../control/vault/erase.ts';
import type { Erasure } from '../../control/vault/erase.ts';
import { principalId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { erasedKind } from '../../lib/vocabulary.ts';
import { mutate } from '../http/mutation.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import type { Call } from '../http/route.ts';

const erasedRecord = z.object({
  /** By kind. Kinds without items are omitted. */
  erased: z.partialRecord(erasedKind, z.int().positive()),
  /** True if there may be more, because one request erases at most 5,000 items. */
  left: z.boolean(),
});

const common = { method: 'POST', permission: 'config:write', params: none, query: none } as const;

export const vaultRoutes = [
  route({
    ...common,
    path: '/admin/vault/erase-personal-data',
    operation: 'erasePersonalData',
    summary: 'Erase the names, addresses and reasons of a principal, even if it was deleted',
    refusals: ['absent', 'conflict'],
    body: z.strictObject({ principal_id: principalId }),
    response: erasedRecord,
    handle: async ({ body: { principal_id: id } }, call, { reports }: HistoryNeeds) => {
      const { state, refresh } = call.config;
      await refresh();
      const answer = await erase(call, await personalData(reports, id));
      if (isRefusal(answer)) return answer;
      const isLeft = await eraseNamesInUsage(reports, state(), id);
      return { ...answer, body: { ...answer.body, left: answer.body.left || isLeft } };
    },
  }),
  route({
    ...common,
    path: '/admin/vault/erase-superseded',
    operation: 'eraseSuperseded',
    summary: 'Erase unreferenced secrets and personal data before their retention ends',
    refusals: ['conflict'],
    body: none,
    response: erasedRecord,
    handle: async (_input, call, { reports, clock }: HistoryNeeds) =>
      erase(call, await superseded(reports, clock)),
  }),
] as const;

const erase = (call: Call, erasure: Erasure) =>
  mutate(call, erasing(erasure), (outcome, tx) => concludeErasure(tx, { outcome, erasure }));
