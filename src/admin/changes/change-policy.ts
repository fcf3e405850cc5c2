// Serves the change policy: which kinds of change need an approved change request
// (docs/guides/four-eyes.md).

import { z } from 'zod';

import { defaultSettings } from '../../../projections/config/settings.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refuseUnmet } from '../../control/change-requests/reviewer.ts';
import { protectedKinds } from '../../../projections/config/protected-kinds.ts';
import { changeKind } from '../../lib/vocabulary.ts';
import { answerRecord, asOfQuery } from '../http/as-of.ts';
import { mutate } from '../http/mutation.ts';
import type { HistoryNeeds } from '../history/needs.ts';
import { none, route } from '../http/route.ts';

const policyRecord = z.object({
  /** Empty without a policy. */
  kinds: z.array(changeKind).readonly(),
  /** Includes the kinds that every policy protects. */
  protected: z.array(changeKind).readonly(),
});

const recordOf = (state: ConfigState) => ({
  kinds: (state.settings.byId.get(1) ?? defaultSettings).changePolicy,
  protected: protectedKinds(state),
});

export const changePolicyRoutes = [
  route({
    method: 'GET',
    path: '/admin/change-policy',
    operation: 'getChangePolicy',
    permission: 'usage:read',
    summary: 'The kinds of change that need an approved change request',
    refusals: [],
    params: none,
    query: asOfQuery,
    body: none,
    response: policyRecord,
    handle: ({ query }, call) =>
      answerRecord(call, query, {
        now: async () => {
          await call.config.refresh();
          return recordOf(call.config.state());
        },
        past: recordOf,
      }),
  }),
  route({
    method: 'PUT',
    path: '/admin/change-policy',
    operation: 'setChangePolicy',
    permission: 'config:write',
    summary:
      'Set the kinds of change that need an approval; with a policy in force it needs one too',
    refusals: ['conflict'],
    params: none,
    query: none,
    body: z.strictObject({ kinds: z.array(changeKind).max(changeKind.options.length) }),
    response: policyRecord,
    handle: async ({ body: { kinds } }, call, { reports }: HistoryNeeds) => {
      // The change itself checks this again (control/append.ts). Here it refuses drafts.
      const unmet = kinds.length === 0 ? null : await refuseUnmet(reports, call.config.state());
      if (unmet !== null) return unmet;
      const command = { type: 'SetChangePolicy', kinds } as const;
      return mutate(call, { command }, (outcome) => recordOf(outcome.state));
    },
  }),
] as const;
