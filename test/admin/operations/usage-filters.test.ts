// Tests that usage rows are selected by everything they hold, and that a search reads a bounded number of rows.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { usageFilter } from '../../../src/admin/operations/usage-filter.ts';
import { scannedMax } from '../../../src/db/usage/usage-filter.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { insertUsageRows } from '../../harness/usage-rows.ts';

const path = '/admin/usage/events';

const minute = (minutes: number): string =>
  new Date(Date.now() - 3_600_000 + minutes * 60_000).toISOString();

/** The parameter, its value, and the numbers of the rows that match, newest first. */
const cases: readonly (readonly [string, string, readonly number[]])[] = [
  ['since', minute(3.5), [5, 4]],
  ['until', minute(1.5), [1]],
  ['principal_id', '2', [5]],
  ['key_id', '7', [4]],
  ['model', 'large', [2]],
  ['virtual_model', 'code', [3]],
  ['provider', 'none', []],
  ['tag', 'spill', [3]],
  ['prompt_class', 'code', [2]],
  ['service_tier', 'flex', [4]],
  ['path', '/v1/messages', [4]],
  ['replica', 'r1', [5, 4, 3, 2, 1]],
  ['replica', 'r2', []],
  ['refusal', 'budget', [5]],
  ['status', '502', [2]],
  ['status', '5xx', [2]],
  ['status', '4xx', [5]],
  ['status', 'none', [3]],
  ['outcome', 'failed', [5, 3, 2]],
  ['outcome', 'succeeded', [4, 1]],
  ['stream', 'true', [4]],
  ['cached', 'true', [1]],
  ['cached', 'false', [5, 4, 3, 2]],
  ['priced', 'true', [4, 1]],
  ['priced', 'false', [5, 3, 2]],
  ['duration_ms_from', '2000', [4, 2]],
  ['duration_ms_below', '2000', [5, 3, 1]],
  ['ttft_ms_from', '500', [4]],
  ['ttft_ms_below', '500', [5, 3, 2, 1]],
  ['tokens_from', '2000', [4]],
  ['tokens_below', '2000', [5, 3, 2, 1]],
  ['cost_micros_from', '100', [4]],
  ['cost_micros_below', '100', [1]],
];

const failed = { usage_reported: false, prompt_tokens: 0, completion_tokens: 0 };
const events = [
  reported(1, { at: minute(1), cached: true, reported_cost_micros: 12 }),
  reported(2, {
    ...failed,
    at: minute(2),
    model_id: 2,
    model: 'large',
    status: 502,
    duration_ms: 2_000,
    prompt_class_id: 1,
  }),
  reported(3, { ...failed, at: minute(3), virtual_model: 'code', tag: 'spill', status: null }),
  reported(4, {
    at: minute(4),
    key_id: 7,
    service_tier: 'flex',
    path: '/v1/messages',
    stream: true,
    duration_ms: 9_000,
    ttft_ms: 500,
    prompt_tokens: 2_000,
    reported_cost_micros: 100,
  }),
  reported(5, { ...failed, at: minute(5), principal_id: 2, status: 402, refusal: 'budget' }),
];

async function filled(...[test]: Parameters<typeof testAdministrator>) {
  const started = await testAdministrator(test);
  await started.send('POST', '/admin/models', { name: 'small' });
  await started.send('POST', '/admin/models', { name: 'large' });
  await started.send('POST', '/admin/prompt-classes', { name: 'code', tier: 'fast' });
  await started.send('POST', '/admin/principals', { name: 'other', kind: 'service_account' });
  assert.equal((await reportUsage(started, events)).status, 200);
  return started;
}

describe('a filter of usage rows', () => {
  it('selects by each parameter, and by several together', async (t) => {
    const { send } = await filled(t);
    assert.deepEqual(
      new Set(cases.map(([name]) => name)),
      new Set(Object.keys(usageFilter)),
      'every parameter has a case',
    );
    const together = [
      ['outcome=failed&status=5xx', [2]],
      ['duration_ms_from=100&duration_ms_below=2000&outcome=succeeded', [1]],
      ['stream=true&cached=true', []],
    ] as const;
    const single = cases.map(
      ([name, value, expected]) =>
        [new URLSearchParams({ [name]: value }).toString(), expected] as const,
    );
    for (const [query, expected] of [...single, ...together]) {
      const { status, body, headers } = await send('GET', `${path}?${query}`);
      assert.equal(status, 200, query);
      assert.ok(Array.isArray(body));
      const ids = expected.map((number) => events[number - 1]?.id);
      assert.deepEqual(
        body.map((row) => member(row, 'id')),
        ids,
        query,
      );
      assert.equal(headers.get('x-total-count'), String(ids.length), query);
    }
  });

  it('refuses values that match nothing by mistake', async (t) => {
    const { send } = await testAdministrator(t);
    for (const [name, value] of [
      ['status', '6xx'],
      ['status', '20'],
      ['outcome', 'bad'],
      ['stream', 'yes'],
      ['duration_ms_from', '-1'],
      ['cost_micros_below', '0.5'],
      ['key_id', '0'],
    ] as const) {
      const answer = await send('GET', `${path}?${name}=${value}`);
      assert.deepEqual(errorOf(answer), [400, 'invalid', name], `${name}=${value}`);
    }
  });
});

it('a search for few of many rows returns in parts, each of which reads a bounded number', async (t) => {
  const { send, plane } = await testAdministrator(t);
  const count = scannedMax + 10;
  const fromMs = Date.now() - 3_600_000;
  await plane.db.query(sql`select op.ensure_usage_month(${new Date(fromMs)}::timestamptz)`);
  await plane.db.query(sql`select op.ensure_usage_month(now())`);
  await insertUsageRows(plane.reports, { count, fromMs, stepMs: 10, isSummed: true });
  // The oldest row, and one among the newest.
  await plane.db.query(sql`
    update op.usage_events set tag = 'rare'
    where id in ('01ARZ3NDEK0000000000000001', ${`01ARZ3NDEK${String(count - 5).padStart(16, '0')}`})`);
  const ids: unknown[] = [];
  const answered: number[] = [];
  let next: string | null = `${path}?tag=rare`;
  while (next !== null) {
    const { status, body, headers } = await send('GET', next);
    assert.equal(status, 200);
    assert.ok(Array.isArray(body));
    assert.equal(headers.get('x-total-count'), null);
    ids.push(...body.map((row) => member(row, 'id')));
    answered.push(body.length);
    next = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    assert.equal(headers.has('x-gw-searched-since'), next !== null);
  }
  assert.deepEqual(answered, [1, 1]);
  assert.equal(ids.at(-1), '01ARZ3NDEK0000000000000001');
  const newest = await send('GET', `${path}?limit=1`);
  assert.equal(newest.headers.get('x-gw-searched-since'), null);
});
