// Tests the notifications of unusual spending: once per hour, principal and currency, with several
// control planes.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { createSpendWatch } from '../../../src/control/usage/spend-watch.ts';
import { createUsageUpkeep } from '../../../src/control/usage/usage-upkeep.ts';
import { createNotifier } from '../../../src/control/webhooks/notify.ts';
import { noSingleUrl } from '../../../src/control/webhooks/single-url.ts';
import { spentInHour } from '../../../src/db/usage/spend-anomalies.ts';
import { toRfc3339 } from '../../../src/lib/clock.ts';
import { notified, spent, take } from '../../harness/control/budgets.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const noon = Date.parse('2026-11-23T12:00:00Z');

async function watched(t: TestContext, limits: Readonly<{ factor?: number; floor?: number }> = {}) {
  const clock = { ms: noon + hourMs / 2 };
  const now = (): number => clock.ms;
  const test = await testPlane(t, { clock: now });
  let numbers = 0;
  /** Reports a request for this many units of money. */
  const spend = (units: number, at = clock.ms, change: Readonly<Record<string, unknown>> = {}) => {
    const cost = { reported_cost_micros: units * 1_000_000 };
    const row = { at: toRfc3339(at), ...cost, ...change };
    return take(test, [spent((numbers += 1), 1, row)], now);
  };
  /** A control plane looks now, or this much later. */
  const look = ({ plane }: TestPlane = test, laterMs = 0) => {
    const { notifyIn } = createNotifier({ singleUrl: noSingleUrl, clock: now, newId: randomUUID });
    const bounds = { factor: 3, floor: 50, ...limits };
    return createSpendWatch({ plane, notifyIn, clock: () => clock.ms + laterMs, ...bounds })();
  };
  const anomalies = () => notified(test);
  return { test, clock, spend, look, anomalies };
}

type Watched = Awaited<ReturnType<typeof watched>>;

/** 20 units in this hour of each of the days before. */
async function usualDays({ spend }: Watched, days = 14): Promise<void> {
  for (let day = 1; day <= days; day++) await spend(20, noon - day * dayMs);
}

const anomaly = (change: Readonly<Record<string, unknown>> = {}) => ({
  type: 'spend_anomaly',
  principal_id: 1,
  principal: 'bootstrap',
  currency: 'USD',
  hour: '2026-11-23T12:00:00.000Z',
  spent: 61_000_000,
  median: 20_000_000,
  factor: 3,
  ...change,
});
const ofAll = (change: Readonly<Record<string, unknown>> = {}) =>
  anomaly({ principal_id: null, principal: null, ...change });

const members = Object.keys(anomaly()).toSorted();
const unordered = (data: readonly unknown[]): readonly string[] =>
  data.map((one) => JSON.stringify(one, members)).toSorted();

describe('unusual spending', () => {
  it('is notified once, for the principal and for the sum of all', async (t) => {
    const one = await watched(t);
    await usualDays(one);
    await one.spend(60);
    await one.look();
    assert.deepEqual(await one.anomalies(), []);
    await one.spend(1);
    one.clock.ms += 6 * 60_000;
    await one.look();
    const both = unordered([anomaly(), ofAll()]);
    assert.deepEqual(unordered(await one.anomalies()), both);
    await one.spend(100);
    one.clock.ms += 6 * 60_000;
    await one.look();
    assert.deepEqual(unordered(await one.anomalies()), both);
  });

  it('is notified again in the next hour', async (t) => {
    const one = await watched(t, { floor: 60 });
    await one.spend(60);
    await one.look();
    one.clock.ms += hourMs;
    await one.spend(60);
    await one.look();
    const hour = '2026-11-23T13:00:00.000Z';
    const first = { spent: 60_000_000, median: 0 };
    const second = { ...first, hour };
    assert.deepEqual(
      unordered(await one.anomalies()),
      unordered([anomaly(first), ofAll(first), anomaly(second), ofAll(second)]),
    );
  });

  it('is seen in an hour that ended before its usage arrived', async (t) => {
    const one = await watched(t);
    one.clock.ms = noon + hourMs + 5 * 60_000;
    await one.spend(61, noon + hourMs - 1);
    await one.look();
    assert.equal((await one.anomalies()).length, 2);
  });

  it('is notified by one of several control planes that look at the same time', async (t) => {
    const one = await watched(t);
    const planes = [one.test, await one.test.another(), await one.test.another()];
    await one.spend(61);
    // Later than the interval between two looks, so that each of them looks.
    await Promise.all(planes.map((plane, index) => one.look(plane, index * 6 * 60_000)));
    await Promise.all(planes.map((plane, index) => one.look(plane, (3 + index) * 60_000)));
    assert.equal((await one.anomalies()).length, 2);
  });

  it('is looked for once in an interval, by whichever control plane is first', async (t) => {
    const one = await watched(t);
    await one.look();
    await one.spend(61);
    await one.look(await one.test.another(), 60_000);
    assert.deepEqual(await one.anomalies(), []);
    await one.look(one.test, 5 * 60_000);
    assert.equal((await one.anomalies()).length, 2);
  });

  it('is not lost if the control plane stops while it looks', async (t) => {
    const one = await watched(t);
    await one.spend(61);
    const stopped = new Error('stopped');
    const failing = createSpendWatch({
      plane: one.test.plane,
      notifyIn: () => Promise.reject(stopped),
      clock: () => one.clock.ms,
      factor: 3,
      floor: 50,
    });
    await assert.rejects(failing(), stopped);
    await one.look(await one.test.another());
    assert.equal((await one.anomalies()).length, 2);
  });

  it('is compared with the days before for every principal, however many there are', async (t) => {
    const one = await watched(t);
    const { reports } = one.test.plane;
    await one.spend(1);
    await reports.query(sql`
      insert into op.usage_sums
      select (jsonb_populate_record(held, jsonb_build_object('principal_id', id))).*
      from op.usage_sums held, generate_series(2, 1200) id`);
    const principals = Array.from({ length: 1200 }, (_value, index) => index + 1);
    const spent = await spentInHour(reports, {
      hour: new Date(noon),
      fromMicros: null,
      principals,
    });
    assert.equal(spent.length, 1200 + 1);
  });

  it('is judged by currency: amounts are never added across currencies', async (t) => {
    const one = await watched(t);
    const fields = { priceCard: { currency: 'EUR' } };
    await one.test.run({ command: { type: 'CreateModel', name: 'small', fields } });
    await one.spend(45);
    await one.spend(45, undefined, { model_id: 1 });
    await one.look();
    assert.deepEqual(await one.anomalies(), []);
    await one.spend(10, undefined, { model_id: 1 });
    one.clock.ms += 6 * 60_000;
    await one.look();
    const euros = { currency: 'EUR', spent: 55_000_000, median: 0 };
    assert.deepEqual(unordered(await one.anomalies()), unordered([anomaly(euros), ofAll(euros)]));
  });

  it('counts spending of earlier days that was rolled up', async (t) => {
    const one = await watched(t);
    await usualDays(one);
    one.clock.ms += 2 * dayMs;
    const upkeep = createUsageUpkeep({
      db: one.test.plane.reports,
      clock: () => one.clock.ms,
      retentionDays: 1,
      onFailure: assert.fail,
    });
    await upkeep.run();
    one.clock.ms -= 2 * dayMs;
    await one.spend(60);
    await one.look();
    assert.deepEqual(await one.anomalies(), []);
  });

  it('is not looked for with a factor of 0', async (t) => {
    const one = await watched(t, { factor: 0 });
    await one.spend(1_000_000);
    await one.look();
    assert.deepEqual(await one.anomalies(), []);
  });
});
