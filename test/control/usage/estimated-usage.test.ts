// Tests that budgets are charged for reported and estimated usage, and that usage totals show the
// two separately.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { budgetUsages, strayBudgets } from '../../../src/db/usage/budget-usage.ts';
import { usageTotals } from '../../../src/db/usage/usage-totals.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';
import { receiptOf, reported } from '../../harness/admin/usage.ts';

/** Micro-units per token. */
const prices = { prompt: 3, completion: 7 };

/** Model 1 has a price, and principal 1 a budget that is never reached. */
async function withBudget({ run }: TestPlane): Promise<void> {
  const fields = {
    inputPricePerMtok: prices.prompt * 1_000_000,
    outputPricePerMtok: prices.completion * 1_000_000,
  };
  await run({ command: { type: 'CreateModel', name: 'small', fields } });
  const caps = { tokensTotal: 1_000_000, costTotalMicros: 10_000_000, initialTokensUsed: 0 };
  const id = principalId.parse(1);
  await run({ command: { type: 'SetBudget', id, window: undefined, ...caps } });
}

const usage = fc.record({
  prompt: fc.nat(100),
  completion: fc.nat(100),
  how: fc.constantFrom('reported', 'estimated', 'unknown'),
  isPriced: fc.boolean(),
  isCached: fc.boolean(),
});
type Usage = Readonly<typeof usage extends fc.Arbitrary<infer Value> ? Value : never>;

const rowOf = ({ prompt, completion, how, isPriced, isCached }: Usage, number: number) =>
  reported(number, {
    at: new Date().toISOString(),
    model_id: isPriced ? 1 : null,
    prompt_tokens: how === 'unknown' ? 0 : prompt,
    completion_tokens: how === 'unknown' ? 0 : completion,
    usage_reported: how === 'reported',
    usage_estimated: how === 'estimated',
    cached: isCached,
  });

/** Tokens and money of the usage from this source. */
function sumOf(usages: readonly Usage[], how: Usage['how']): readonly number[] {
  let [tokens, micros] = [0, 0];
  for (const { prompt, completion, isPriced, isCached } of usages.filter(
    (one) => one.how === how,
  )) {
    tokens += prompt + completion;
    if (isPriced && !isCached) micros += prompt * prices.prompt + completion * prices.completion;
  }
  return [tokens, micros];
}

/** Tokens and money as in the totals. */
async function totalsIn({ db }: TestPlane['plane']) {
  const range = { since: null, until: null, groupBy: 'all', skip: 0, limit: 1 } as const;
  const [total] = await usageTotals(db, range);
  assert.ok(total);
  const { prompt_tokens: prompt, completion_tokens: completion } = total;
  const estimated = total.estimated_prompt_tokens + total.estimated_completion_tokens;
  return {
    requests: [total.requests, total.estimated_requests],
    reported: [prompt + completion, total.cost_micros ?? 0],
    estimated: [estimated, total.estimated_cost_micros ?? 0],
  };
}

it('counts reported and estimated usage in the counter of a budget', async (t) => {
  const test = await testPlane(t);
  await withBudget(test);
  const { db, vault, store, refresh } = test.plane;
  const intake = createUsageIntake({
    db,
    vault,
    state: store.state,
    refresh,
    notifyIn: noNotifier.notifyIn,
    clock: Date.now,
  });
  const all: Usage[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(usage, { minLength: 4, maxLength: 12 }), async (usages) => {
      const events = usages.map((one, index) => rowOf(one, all.length + index));
      all.push(...usages);
      assert.equal(receiptOf(await intake({ replica: 'r1', events })).accepted, usages.length);
      const [reportedSum, estimatedSum] = [sumOf(all, 'reported'), sumOf(all, 'estimated')];
      assert.deepEqual(await totalsIn(test.plane), {
        requests: [all.length, all.filter(({ how }) => how === 'estimated').length],
        reported: reportedSum,
        estimated: estimatedSum,
      });
      const [counter] = await budgetUsages(db, [1]);
      assert.deepEqual(
        [counter?.tokens_used, counter?.cost_used_micros],
        reportedSum.map((sum, index) => sum + (estimatedSum[index] ?? 0)),
      );
      assert.deepEqual(await strayBudgets(db), []);
    }),
    { numRuns: 20 },
  );
});
