// Tests that a series has every bucket of its range, and that it adds up to the totals of the range
// (specification, `GET /admin/timeseries`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { healthOf } from '../../harness/gateway/health.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

const hourMs = 3_600_000;
const start = Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs;
const at = (ms: number): string => new Date(start + ms).toISOString();
const range = `since=${at(0)}&until=${at(hourMs)}`;

async function withModel(...[test]: Parameters<typeof testAdministrator>): Promise<Administrator> {
  const started = await testAdministrator(test);
  await started.send('POST', '/admin/models', { name: 'small', input_price_per_mtok: 1_000_000 });
  return started;
}

async function series({ send }: Administrator, query: string): Promise<readonly unknown[]> {
  const { status, body } = await send('GET', `/admin/timeseries?${query}`);
  assert.equal(status, 200);
  assert.ok(Array.isArray(body));
  return body;
}

const free = { completion_tokens: 0 };
const pick = (points: readonly unknown[], ...names: readonly string[]) =>
  points.map((point) => names.map((name) => member(point, name)));

const partsOf = (count: number | null) =>
  membersOf(
    tokenParts.map(({ name }) => name),
    count,
  );

const empty = {
  requests: 0,
  upstream_errors: 0,
  client_errors: 0,
  refused_authorisation: 0,
  refused_rate_limit: 0,
  refused_budget: 0,
  refused_no_backend: 0,
  refused_backend_overloaded: 0,
  failed_attempts: 0,
  refused_unattributed: 0,
  upstream_success: 0,
  upstream_client_error: 0,
  upstream_rate_limited: 0,
  upstream_server_error: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  ...partsOf(0),
  cost_micros: 0,
  corrected_cost_micros: 0,
  costs: [],
  unpriced_requests: 0,
  estimated_requests: 0,
  estimated_prompt_tokens: 0,
  estimated_completion_tokens: 0,
  estimated_cost_micros: null,
  avg_ms: null,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  ttft_p50_ms: null,
  ttft_p95_ms: null,
  ttft_p99_ms: null,
};

describe('a series', () => {
  it('has every bucket of its range, empty ones as zeros and without latencies', async (t) => {
    const started = await withModel(t);
    await reportUsage(started, [reported(1, { ...free, at: at(20 * 60_000) })]);
    const points = await series(started, `${range}&bucket=900`);
    assert.deepEqual(points, [
      { at: at(0), ...empty },
      {
        ...empty,
        at: at(15 * 60_000),
        requests: 1,
        upstream_success: 1,
        prompt_tokens: 1_000,
        ...partsOf(null),
        cost_micros: 1_000,
        corrected_cost_micros: 1_000,
        costs: [
          {
            currency: 'USD',
            cost_micros: 1_000,
            corrected_cost_micros: 1_000,
            estimated_cost_micros: null,
          },
        ],
        avg_ms: 100,
        p50_ms: 100,
        p95_ms: 100,
        p99_ms: 100,
        ttft_p50_ms: 10,
        ttft_p95_ms: 10,
        ttft_p99_ms: 10,
      },
      { at: at(30 * 60_000), ...empty },
      { at: at(45 * 60_000), ...empty },
    ]);
  });

  it('counts a request at the start of a bucket in it, and one at its end in the next', async (t) => {
    const started = await withModel(t);
    const times = [0, 900_000 - 1, 900_000, hourMs];
    await reportUsage(
      started,
      times.map((ms, index) => reported(index, { at: at(ms) })),
    );
    assert.deepEqual(pick(await series(started, `${range}&bucket=900`), 'requests'), [
      [2],
      [1],
      [0],
      [0],
    ]);
  });

  it('of a range within buckets counts only requests in the range', async (t) => {
    const started = await withModel(t);
    await reportUsage(started, [reported(1, { at: at(60_000) }), reported(2, { at: at(400_000) })]);
    const points = await series(started, `since=${at(120_000)}&until=${at(500_000)}&bucket=900`);
    assert.deepEqual(pick(points, 'at', 'requests'), [[at(0), 1]]);
  });

  it('tells errors of upstreams from those of clients, and refusals by their reason', async (t) => {
    const started = await withModel(t);
    const answers: readonly Readonly<Record<string, unknown>>[] = [
      ...[500, 503, 429, 401, 403].map((status) => ({ status })),
      ...[400, 404, 422].map((status) => ({ status })),
      { status: null },
      { status: 403, refusal: 'authorisation' },
      { status: 429, refusal: 'rate_limit' },
      { status: 402, refusal: 'budget' },
      { status: 402, refusal: 'budget' },
      { status: 502, refusal: 'no_backend' },
      { status: 503, refusal: 'backend_overloaded' },
    ];
    await reportUsage(
      started,
      answers.map((answer, index) => reported(index, { ...answer, at: at(1) })),
    );
    const [point] = await series(started, `${range}&bucket=3600`);
    const names = ['requests', 'upstream_errors', 'client_errors', 'refused_authorisation'];
    names.push('refused_rate_limit', 'refused_budget', 'refused_no_backend');
    names.push('refused_backend_overloaded');
    assert.deepEqual(pick([point], ...names), [[15, 5, 3, 1, 1, 2, 1, 1]]);
  });

  it('counts upstream responses by class, 429 separately, and no cached responses', async (t) => {
    const started = await withModel(t);
    const answers: readonly Readonly<Record<string, unknown>>[] = [
      ...[200, 206, 400, 401, 429, 500, 503, 529].map((status) => ({ status })),
      { status: 200, cached: true },
      { status: null },
      { status: 502, refusal: 'no_backend' },
    ];
    await reportUsage(
      started,
      answers.map((answer, index) => reported(index, { ...answer, at: at(1) })),
    );
    const classes = ['success', 'client_error', 'rate_limited', 'server_error'];
    const names = classes.map((name) => `upstream_${name}`);
    const [point] = await series(started, `${range}&bucket=3600`);
    assert.deepEqual(pick([point], ...names), [[2, 2, 1, 3]]);
    const total = await started.send('GET', `/admin/usage?${range}&group_by=provider`);
    assert.ok(Array.isArray(total.body));
    assert.deepEqual(pick(total.body, ...names, 'refused_no_backend'), [[2, 2, 1, 3, 1]]);
  });

  it('reports unpriced requests as unpriced, and refused ones as zero cost', async (t) => {
    const started = await withModel(t);
    const refused = { refusal: 'budget', status: 402, usage_reported: false };
    await reportUsage(started, [
      reported(1, { at: at(0), usage_reported: false }),
      reported(2, { at: at(900_000), ...refused }),
    ]);
    const points = await series(started, `${range}&bucket=900`);
    assert.deepEqual(pick(points.slice(0, 2), 'cost_micros', 'unpriced_requests'), [
      [null, 1],
      [0, 0],
    ]);
  });

  it('has percentiles of what was answered, within one percent', async (t) => {
    const started = await withModel(t);
    const durations = Array.from({ length: 100 }, (_value, index) => index + 1);
    await reportUsage(
      started,
      durations.map((ms) => reported(ms, { at: at(ms), duration_ms: ms * 10, ttft_ms: ms })),
    );
    const [point] = await series(started, `${range}&bucket=3600`);
    const exact = { p50_ms: 500, p95_ms: 950, p99_ms: 990, ttft_p99_ms: 99 };
    for (const [name, ms] of Object.entries(exact)) {
      const read = Number(member(point, name));
      assert.ok(Math.abs(read - ms) <= ms / 100, `${name} is ${read}`);
    }
  });

  it('can be limited to one model, provider or principal, and then excludes unattributed refusals', async (t) => {
    const started = await withModel(t);
    await started.send('POST', '/admin/models', { name: 'large' });
    const { apiBase } = await listedProvider(t, {});
    await started.send('POST', '/admin/providers', { name: 'rack', api_base: apiBase });
    const report = healthOf('r1', { unauthenticated: 3, modelNotFound: 4 });
    const told = { method: 'POST', path: '/health-report', token: proxyToken, body: report };
    assert.equal((await started.ask(told)).status, 204);
    assert.equal((await started.ask(told)).status, 204);
    await reportUsage(started, [
      reported(1, { at: at(0) }),
      reported(2, { at: at(0), model_id: 2, provider_id: 1 }),
    ]);
    const whole = `since=${at(0)}&bucket=86400`;
    const counts = async (filter: string) => {
      const points = await series(started, whole + filter);
      return ['requests', 'refused_unattributed'].map((name) =>
        points.reduce<number>((sum, point) => sum + Number(member(point, name)), 0),
      );
    };
    assert.deepEqual(await counts(''), [2, 7]);
    assert.deepEqual(await counts('&model=large'), [1, 0]);
    assert.deepEqual(await counts('&provider=rack'), [1, 0]);
    assert.deepEqual(await counts('&principal_id=1'), [2, 0]);
    assert.deepEqual(await counts('&principal_id=2'), [0, 0]);
  });

  it('defaults to the last 24 hours, with at most 720 buckets', async (t) => {
    const started = await withModel(t);
    const { headers, body } = await started.send('GET', '/admin/timeseries');
    assert.equal(headers.get('x-gw-bucket-seconds'), '300');
    assert.ok(Array.isArray(body) && body.length >= 288 && body.length <= 289);
    const year = await series(started, `since=2025-01-01T00:00:00Z&until=2026-01-01T00:00:00Z`);
    assert.equal(year.length, 365);
    const refused = [
      ['since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
      ['since=0900-01-01T00:00:00Z', 'since'],
      ['since=yesterday', 'since'],
      ['bucket=0', 'bucket'],
      ['bucket=2592001', 'bucket'],
      ['principal_id=-1', 'principal_id'],
      ['colour=red', 'colour'],
    ] as const;
    for (const [query, param] of refused) {
      const answer = await started.send('GET', `/admin/timeseries?${query}`);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param], query);
    }
  });
});
