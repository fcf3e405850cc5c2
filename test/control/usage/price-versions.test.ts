// Tests which prices proxies and the ledger use while a price card is scheduled, and that the number
// of a version identifies one set of prices after a model is deleted and restored.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { isRefusal } from '../../../src/lib/refusal.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import { estimateCostMicros } from '../../../src/usage/cost.ts';
import { pricesAt } from '../../../src/usage/price-versions.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { current } from '../../harness/control/budgets.ts';

const dayMs = 86_400_000;
const base = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };

const row = z.object({
  price_version: z.int().nullable(),
  cost_micros: z.int().nullable(),
  breakdown: z.record(z.string(), z.int()).nullable(),
});
type Started = Awaited<ReturnType<typeof testAdministrator>>;

/** Newest first. */
async function booked({ send }: Started) {
  const { body } = await send('GET', '/admin/usage/events?include=breakdown');
  return z.array(row).parse(body);
}

describe('a first price card that begins in the future', () => {
  it('is used by proxies from its time; until then the base prices apply', async (t) => {
    const startMs = Date.now() + dayMs;
    const started = await testAdministrator(t);
    const card = { per_request: 5000, effective_from: new Date(startMs).toISOString() };
    await started.send('POST', '/admin/models', { name: 'small', ...base, price_card: card });
    const compiled = compileSnapshot(current(started));
    assert.ok(!isRefusal(compiled));
    const versions = compiled.models.get('small')?.prices ?? [];
    const estimateAt = (ms: number): number | null =>
      estimateCostMicros(pricesAt(versions, ms), { prompt: 1000, completion: 500 });
    assert.deepEqual([estimateAt(startMs - 1), estimateAt(startMs)], [2000, 7000]);
  });

  it('prices no row before its time', async (t) => {
    const started = await testAdministrator(t);
    const card = {
      per_request: 5000,
      effective_from: new Date(Date.now() + dayMs).toISOString(),
    };
    await started.send('POST', '/admin/models', { name: 'small', ...base, price_card: card });
    await reportUsage(started, [reported(1)]);
    assert.deepEqual(await booked(started), [
      { price_version: 0, cost_micros: 2000, breakdown: { input: 1000, output: 1000 } },
    ]);
  });
});

describe('a restored model', () => {
  it('gives its prices numbers that none of its earlier prices had', async (t) => {
    const started = await testAdministrator(t);
    await started.send('POST', '/admin/models', { name: 'small', ...base });
    await reportUsage(started, [reported(1)]);
    const { version } = current(started);
    await started.send('DELETE', '/admin/models/1');
    const restored = await started.send('POST', `/admin/snapshots/${version}/restore`, {
      reason: 'deleted by mistake',
    });
    assert.equal(restored.status, 200);
    await started.send('PATCH', '/admin/models/1', { input_price_per_mtok: 3_000_000 });
    await reportUsage(started, [reported(2, { at: new Date().toISOString() })]);
    const [second, first] = await booked(started);
    assert.deepEqual(first, {
      price_version: 1,
      cost_micros: 2000,
      breakdown: { input: 1000, output: 1000 },
    });
    assert.deepEqual(second?.breakdown, { input: 3000, output: 1000 });
    assert.ok((second?.price_version ?? 0) > 2);
    const span = {
      since: new Date(Date.now() - dayMs).toISOString(),
      until: new Date(Date.now() + dayMs).toISOString(),
    };
    const card = second?.price_version;
    const repriced = { ...span, model: 'small', card, dry_run: true };
    const { body } = await started.send('POST', '/admin/usage/reprice', repriced);
    assert.deepEqual(z.object({ totals: z.unknown() }).parse(body).totals, [
      { currency: 'USD', delta_micros: 2000 },
    ]);
  });
});
