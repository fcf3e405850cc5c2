// Serves temporary increases of budgets: granted for a time, and removable before its end.

import { z } from 'zod';

import type { BudgetIncrease } from '../../../projections/config/principal.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { budgetField } from '../../lib/amounts.ts';
import { increaseReasonField } from '../../lib/budget-fields.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { timestamp, timestampField } from '../../lib/fields.ts';
import { principalId } from '../../lib/ids.ts';
import { deletedRecord, idIn, wholeNumber } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { none, route } from '../http/route.ts';
import type { AccessNeeds } from './needs.ts';

const amount = z.int().positive().nullable();

export const increaseRecord = z.object({
  /** Counted per budget. */
  id: z.int().positive(),
  tokens: amount,
  cost_micros: amount,
  /** Null if it was erased. */
  reason: z.string().nullable(),
  starts_at: timestamp,
  ends_at: timestamp,
});
export type IncreaseRecord = z.input<typeof increaseRecord>;

const params = idIn(principalId);
const config = { permission: 'config:write', query: none } as const;

export const budgetIncreaseRoutes = [
  route({
    ...config,
    method: 'POST',
    path: '/admin/principals/{id}/budget/increases',
    operation: 'increaseBudget',
    summary: 'Increase the caps of a budget until a time; increases add up',
    example: { cost_micros: 20_000_000, reason: 'load test', ends_at: '2027-01-01T00:00:00Z' },
    refusals: ['absent'],
    params,
    body: z.strictObject({
      tokens: budgetField.nullable().default(null),
      cost_micros: budgetField.nullable().default(null),
      reason: increaseReasonField,
      starts_at: timestampField.optional().meta({ description: 'Now if absent.' }),
      ends_at: timestampField,
    }),
    response: increaseRecord,
    handle: ({ params: { id }, body }, call, { vault, clock, newId }: AccessNeeds) => {
      const now = clock();
      const reasonRef = newId();
      const command = {
        type: 'IncreaseBudget',
        id,
        tokens: body.tokens,
        costMicros: body.cost_micros,
        reasonRef,
        startsAt: body.starts_at ?? toRfc3339(now),
        endsAt: body.ends_at,
        now,
      } as const;
      const secrets = [{ ref: reasonRef, class: 'personal', plaintext: body.reason }] as const;
      return mutate(call, { command, secrets }, async ({ state }, db) => {
        const { increases = [] } = written(state.principal, id).budget ?? {};
        const record = (await increaseRecords({ vault, db }, increases)).get(reasonRef);
        if (record === undefined) throw new Error(`the increase of principal ${id} is missing`);
        return record;
      });
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/principals/{id}/budget/increases/{increase}',
    operation: 'removeBudgetIncrease',
    summary: 'Remove a temporary increase before its end',
    refusals: ['absent'],
    params: params.extend({ increase: wholeNumber({ from: 1 }) }),
    body: none,
    response: deletedRecord,
    handle: ({ params: { id, increase } }, call) =>
      mutate(call, { command: { type: 'RemoveBudgetIncrease', id, increaseId: increase } }, () => ({
        id: increase,
      })),
  }),
] as const;

/** The records by the refs of their reasons, which come from the vault. */
export async function increaseRecords(
  { vault, db }: Revealing,
  increases: readonly BudgetIncrease[],
): Promise<ReadonlyMap<string, IncreaseRecord>> {
  const texts = await vault.reveal(
    db,
    increases.map(({ reasonRef }) => reasonRef),
  );
  return new Map(
    increases.map(({ id, tokens, costMicros, reasonRef, startsAt, endsAt }) => [
      reasonRef,
      {
        id,
        tokens,
        cost_micros: costMicros,
        reason: texts.get(reasonRef) ?? null,
        starts_at: startsAt,
        ends_at: endsAt,
      },
    ]),
  );
}
