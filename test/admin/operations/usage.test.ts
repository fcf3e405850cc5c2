// Tests usage from a proxy's report to the totals (specification, "Usage event").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { boolean, constantFrom, integer, record, sample } from 'fast-check';

import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import { usageEvent } from '../../../src/usage/usage-event.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { reportUsage as report, reported as reportedUsage } from '../../harness/admin/usage.ts';

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

const at = Date.now() - 60_000;

/** An answered request of principal 1 to model 1, at `at`, with its own id. */
const reported = (number: number, change: Readonly<Record<string, unknown>> = {}) =>
  reportedUsage(number, { at: new Date(at).toISOString(), ...change });

async function withModel(...[test]: Parameters<typeof testAdministrator>): Promise<Administrator> {
  const started = await testAdministrator(test);
  await started.send('POST', '/admin/models', {
    name: 'small',
    input_price_per_mtok: 3_000_000,
    output_price_per_mtok: 15_000_000,
  });
  return started;
}

describe('a batch of usage', () => {
  it('is totalled at its configured price, and counted once if it is repeated', async (t) => {
    const started = await withModel(t);
    usageEvent.parse(reported(1));
    for (const _time of ['first', 'second']) {
      const { body } = await report(started, [reported(1), reported(2)]);
      assert.deepEqual(body, { accepted: 2, dropped: 0, budgets: [] });
    }
    assert.deepEqual((await started.send('GET', '/admin/usage')).body, [
      {
        key: 'small',
        requests: 2,
        refused_requests: 0,
        refused_no_backend: 0,
        refused_backend_overloaded: 0,
        failed_attempts: 0,
        upstream_success: 2,
        upstream_client_error: 0,
        upstream_rate_limited: 0,
        upstream_server_error: 0,
        prompt_tokens: 2_000,
        completion_tokens: 1_000,
        ...membersOf(
          tokenParts.map(({ name }) => name),
          null,
        ),
        cost_micros: 21_000,
        corrected_cost_micros: 21_000,
        costs: [
          {
            currency: 'USD',
            cost_micros: 21_000,
            corrected_cost_micros: 21_000,
            estimated_cost_micros: null,
          },
        ],
        unpriced_requests: 0,
        estimated_requests: 0,
        estimated_prompt_tokens: 0,
        estimated_completion_tokens: 0,
        estimated_cost_micros: null,
        avg_ms: 100,
        p50_ms: 100,
        p95_ms: 100,
        p99_ms: 100,
        ttft_p50_ms: 10,
        ttft_p95_ms: 10,
        ttft_p99_ms: 10,
      },
    ]);
  });

  it('is totalled with failed attempts, which have no rows of their own', async (t) => {
    const started = await withModel(t);
    await report(started, [
      reported(1, { attempts: 3 }),
      reported(2, { attempts: 1 }),
      reported(3, { attempts: 0, cached: true }),
      reported(4, { attempts: 2, status: 502, refusal: 'no_backend', usage_reported: false }),
      reported(5, { attempts: 0, status: 429, refusal: 'rate_limit', usage_reported: false }),
      reported(6, { attempts: 1, status: 503, refusal: 'backend_overloaded' }),
    ]);
    const { body } = await started.send('GET', '/admin/usage?group_by=all');
    assert.ok(Array.isArray(body));
    assert.partialDeepStrictEqual(body[0], {
      requests: 6,
      failed_attempts: 5,
      refused_no_backend: 1,
      refused_backend_overloaded: 1,
    });
  });

  it('is grouped page by page, with the number of groups', async (t) => {
    const started = await withModel(t);
    await report(
      started,
      Array.from({ length: 5 }, (_, index) => reported(index, { virtual_model: `name-${index}` })),
    );
    const keys: unknown[] = [];
    const pages: number[] = [];
    let path: string | undefined = '/admin/usage?group_by=virtual_model&limit=2';
    while (path !== undefined) {
      const { body, headers } = await started.send('GET', path);
      assert.ok(Array.isArray(body));
      assert.equal(headers.get('x-total-count'), '5');
      pages.push(body.length);
      keys.push(...body.map((total) => member(total, 'key')));
      path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(pages, [2, 2, 1]);
    assert.deepEqual(keys, ['name-0', 'name-1', 'name-2', 'name-3', 'name-4']);
    for (const after of ['!', 'MA', 'eA', '']) {
      assert.equal((await started.send('GET', `/admin/usage?after=${after}`)).status, 400);
    }
  });

  it('drops only the records that are malformed or refer to deleted entities', async (t) => {
    const started = await withModel(t);
    const bad = [
      { nonsense: true },
      null,
      reported(2, { principal_id: 999 }),
      reported(3, { model_id: 999 }),
      reported(4, { virtual_model: 'nul \0 inside' }),
      reported(5, { at: '1999-01-01T00:00:00Z' }),
      reported(6, { at: new Date(at + 10 * 24 * 3_600_000).toISOString() }),
      reported(7, { prompt_tokens: -1 }),
      reported(8, { id: 'not-a-ulid' }),
    ];
    const { body } = await report(started, [reported(1), ...bad]);
    assert.deepEqual(body, { accepted: 1, dropped: bad.length, budgets: [] });
    const totals = await started.send('GET', '/admin/usage');
    assert.ok(Array.isArray(totals.body));
    assert.deepEqual(
      totals.body.map((total) => member(total, 'requests')),
      [1],
    );
  });

  it('may come from a proxy that sends names of models and fewer fields', async (t) => {
    const started = await withModel(t);
    const said = { principal_id: 1, prompt_tokens: 10, completion_tokens: 5, status: 200 };
    const events = [
      { ...said, model: 'small', requested_model: 'chat', duration_ms: 7, ttft_ms: 3 },
      { ...said, model: 'small', cost_micros: 9 },
      { ...said, model: 'small', usage_reported: false, at: new Date(at).toISOString() },
      { principal_id: 1, model: 'small', status: 429, refusal: 'rate_limit' },
      { ...said, model: 'gone' },
      { ...said, principal_id: 999, model: 'small' },
      { model: 'small' },
    ];
    const sent = { method: 'POST', path: '/usage', token: proxyToken, body: { events } };
    assert.deepEqual((await started.ask(sent)).body, { accepted: 4, dropped: 3, budgets: [] });
    const rows: unknown = await started.plane.db.query(sql`
      select model_id, model, virtual_model, cost_micros, refusal, duration_ms, replica
      from op.usage_events order by duration_ms desc, cost_micros nulls first, refusal`);
    const row = { model_id: 1, model: 'small', virtual_model: 'small', replica: 'unknown' };
    assert.deepEqual(rows, [
      { ...row, virtual_model: 'chat', cost_micros: 105, refusal: null, duration_ms: 7 },
      { ...row, cost_micros: null, refusal: 'rate_limit', duration_ms: 0 },
      { ...row, cost_micros: null, refusal: null, duration_ms: 0 },
      { ...row, cost_micros: 9, refusal: null, duration_ms: 0 },
    ]);
  });

  it('keeps the reason of the route, if the proxy reports it', async (t) => {
    const started = await withModel(t);
    await report(started, [reported(1, { frontend_model_id: 4, rule_id: 9 }), reported(2)]);
    const rows: unknown = await started.plane.db.query(
      sql`select frontend_model_id, rule_id from op.usage_events order by id`,
    );
    assert.deepEqual(rows, [
      { frontend_model_id: 4, rule_id: 9 },
      { frontend_model_id: null, rule_id: null },
    ]);
  });

  it('may hold records of many months', async (t) => {
    const started = await withModel(t);
    const months = Array.from({ length: 13 }, (_value, index) =>
      reported(index, { at: new Date(at - index * 28 * 24 * 3_600_000).toISOString() }),
    );
    assert.deepEqual((await report(started, months)).body, {
      accepted: 13,
      dropped: 0,
      budgets: [],
    });
    const byDay = await started.send('GET', '/admin/usage?group_by=day&limit=2');
    assert.ok(Array.isArray(byDay.body));
    assert.deepEqual(
      byDay.body.map((total) => member(total, 'key')),
      [at, at - 28 * 24 * 3_600_000].map((day) => new Date(day).toISOString().slice(0, 10)),
    );
  });

  it('is refused as a whole if it is not a batch', async (t) => {
    const started = await withModel(t);
    const answer = await started.ask({
      method: 'POST',
      path: '/usage',
      token: proxyToken,
      body: { events: 'many' },
    });
    assert.deepEqual(errorOf(answer), [400, 'invalid', 'events']);
  });
});

describe('a total', () => {
  it('reports requests without a price as unpriced, not as zero cost', async (t) => {
    const started = await withModel(t);
    await started.send('POST', '/admin/models', { name: 'free' });
    await report(started, [
      reported(1, { model_id: 2 }),
      reported(2, { model_id: 2, reported_cost_micros: 7 }),
      reported(3, { usage_reported: false, prompt_tokens: 0, completion_tokens: 0 }),
      reported(4, { cached: true }),
    ]);
    const { body } = await started.send('GET', '/admin/usage');
    assert.ok(Array.isArray(body));
    const costs = body.map((total) => [
      member(total, 'key'),
      member(total, 'cost_micros'),
      member(total, 'unpriced_requests'),
    ]);
    assert.deepEqual(costs, [
      ['free', 7, 1],
      ['small', 0, 1],
    ]);
  });

  it('counts refusals separately, and keeps names of deleted entities', async (t) => {
    const started = await withModel(t);
    const refused = { refusal: 'rate_limit', status: 429, usage_reported: false };
    await report(started, [reported(1), reported(2, { ...refused, model_id: null, model: null })]);
    await started.send('DELETE', '/admin/models/1');
    const byPrincipal = await started.send('GET', '/admin/usage?group_by=principal');
    assert.ok(Array.isArray(byPrincipal.body));
    const [only] = byPrincipal.body;
    assert.deepEqual(
      ['key', 'requests', 'refused_requests', 'unpriced_requests'].map((name) =>
        member(only, name),
      ),
      ['bootstrap', 2, 1, 0],
    );
    const byModel = await started.send('GET', '/admin/usage');
    assert.ok(Array.isArray(byModel.body));
    assert.deepEqual(
      byModel.body.map((total) => member(total, 'key')),
      ['small', null],
    );
  });

  it('covers the requested time range, which must be valid', async (t) => {
    const started = await withModel(t);
    await report(started, [reported(1)]);
    const rows = async (query: string): Promise<unknown> =>
      (await started.send('GET', `/admin/usage?${query}`)).body;
    assert.notDeepEqual(await rows(`since=${moment(at)}&until=${moment(at + 1)}`), []);
    assert.deepEqual(await rows(`since=${moment(at + 1)}`), []);
    assert.deepEqual(await rows(`until=${moment(at)}`), []);
    const backwards = await started.send(
      'GET',
      `/admin/usage?since=${moment(at)}&until=${moment(at)}`,
    );
    assert.deepEqual(errorOf(backwards), [400, 'invalid', 'since']);
  });
});

const moment = (ms: number): string => new Date(ms).toISOString();

describe('the totals', () => {
  const eventAt = record({
    at: integer({ min: -40 * 24 * 60, max: 0 }).map((minutes) =>
      new Date(at + minutes * 60_000).toISOString(),
    ),
    model_id: constantFrom(1, null),
    principal_id: constantFrom(1, 2),
    virtual_model: constantFrom('chat', 'code', ''),
    refusal: constantFrom(null, 'budget', 'no_backend'),
    usage_reported: boolean(),
    cached: boolean(),
    prompt_tokens: integer({ min: 0, max: 10_000 }),
    completion_tokens: integer({ min: 0, max: 10_000 }),
    reported_cost_micros: constantFrom(null, 0, 7),
  });
  const counted = [
    'requests',
    'refused_requests',
    'prompt_tokens',
    'completion_tokens',
    'cost_micros',
    'unpriced_requests',
  ];

  it('are equal for all groupings, and additive over adjacent ranges', async (t) => {
    const started = await withModel(t);
    const events = sample(eventAt, { numRuns: 200, seed: 7 });
    await report(
      started,
      events.map((event, index) => reported(index, event)),
    );
    const sums = async (query: string): Promise<Record<string, number>> => {
      const { body } = await started.send('GET', `/admin/usage?limit=1000&${query}`);
      assert.ok(Array.isArray(body));
      const rows: readonly unknown[] = body;
      const sum = (name: string): number =>
        rows.reduce<number>((total, row) => total + Number(member(row, name)), 0);
      return Object.fromEntries(counted.map((name) => [name, sum(name)]));
    };
    const whole = await sums('group_by=model');
    assert.equal(whole['requests'], events.length);
    for (const key of ['principal', 'virtual_model', 'day', 'all']) {
      assert.deepEqual(await sums(`group_by=${key}`), whole, key);
    }
    // In the middle of a day, in a time zone other than UTC.
    const middle = encodeURIComponent(
      new Date(at - 20 * 24 * 3_600_000).toISOString().replace('Z', '-05:30'),
    );
    const [before, behind] = await Promise.all([
      sums(`group_by=day&until=${middle}`),
      sums(`group_by=day&since=${middle}`),
    ]);
    for (const name of counted) {
      assert.equal((before[name] ?? 0) + (behind[name] ?? 0), whole[name], name);
    }
  });

  it('are capped at the largest integer of the response', async (t) => {
    const started = await withModel(t);
    const huge = { prompt_tokens: Number.MAX_SAFE_INTEGER, reported_cost_micros: 2 ** 53 - 1 };
    await report(started, [reported(1, huge), reported(2, huge)]);
    const { body } = await started.send('GET', '/admin/usage');
    assert.ok(Array.isArray(body));
    assert.equal(member(body[0], 'prompt_tokens'), Number.MAX_SAFE_INTEGER);
    assert.equal(member(body[0], 'cost_micros'), Number.MAX_SAFE_INTEGER);
  });
});
