// Tests that a dry run of a route knows costs and budgets as proxies do: price tiers and temporary
// increases.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

type Started = Awaited<ReturnType<typeof testAdministrator>>;

const hourMs = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * hourMs).toISOString();

/** True if a request to `chat` meets these conditions. */
async function isMet({ send }: Started, conditions: object, request: object): Promise<boolean> {
  const rule = { targets: ['small'], ...conditions };
  const created = await send('POST', '/admin/frontend-models/1/rules', rule);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const asked = { model: 'chat', principal_id: 1, ...request };
  const { status, body } = await send('POST', '/admin/routing/dry-run', asked);
  assert.equal(status, 200, JSON.stringify(body));
  await send('DELETE', `/admin/rules/${Number(member(created.body, 'id'))}`);
  return member(body, 'rule_index') === 0;
}

async function withModel(t: Parameters<typeof testAdministrator>[0]): Promise<Started> {
  const started = await testAdministrator(t);
  const tier = { above_tokens: 200_000, input: 6_000_000, output: 22_500_000 };
  const prices = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
  const price_card = { context_tiers: [tier], service_tiers: { batch: { percent: 50 } } };
  const { apiBase } = await listedProvider(t);
  await started.send('POST', '/admin/providers', { name: 'one', api_base: apiBase });
  await started.send('POST', '/admin/models', { name: 'small', ...prices, price_card });
  await started.send('POST', '/admin/models/1/backends', { provider_id: 1 });
  await started.send('POST', '/admin/frontend-models', { name: 'chat' });
  return started;
}

describe('a dry run of a route', () => {
  it('quotes the same price tier as is billed', async (t) => {
    const started = await withModel(t);
    for (const [index, prompt_tokens] of [1000, 200_000, 200_001, 900_000].entries()) {
      const row = reported(index + 1, { prompt_tokens, completion_tokens: 500 });
      await reportUsage(started, [row]);
      const { body } = await started.send('GET', '/admin/usage/events?limit=1');
      const [{ cost_micros: billed }] = z.tuple([z.object({ cost_micros: z.int() })]).parse(body);
      const request = { prompt_tokens, max_tokens: 500 };
      const exactly = { min_request_cost_micros: billed, max_request_cost_micros: billed };
      assert.ok(await isMet(started, exactly, request), `${prompt_tokens} tokens at ${billed}`);
    }
  });

  it('uses the caps of a budget with the increases of its time', async (t) => {
    const started = await withModel(t);
    const { send, plane } = started;
    await send('PUT', '/admin/principals/1/budget', { tokens_total: 1000 });
    await reportUsage(started, [reported(1, { prompt_tokens: 900, completion_tokens: 0 })]);
    const increase = { tokens: 1000, reason: 'load test', ends_at: inHours(2) };
    const granted = await send('POST', '/admin/principals/1/budget/increases', increase);
    assert.equal(granted.status, 200, JSON.stringify(granted.body));
    await plane.rebuild();
    const isAlmostSpent = (at: string) =>
      isMet(started, { min_budget_used_percent: 80 }, { prompt_tokens: 1, at });
    assert.deepEqual(
      [await isAlmostSpent(inHours(1)), await isAlmostSpent(inHours(3))],
      [false, true],
    );
    assert.equal(await isMet(started, { min_budget_used_percent: 45 }, {}), true);
  });
});
