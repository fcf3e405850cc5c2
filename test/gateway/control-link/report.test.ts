// Checks that the reporter delivers usage events in batches, retries them, and counts those that it drops.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { createUsageReporter } from '../../../src/gateway/control-link/report.ts';
import { newCounts } from '../../../src/telemetry/metrics.ts';
import { usageBatch, usageEvent } from '../../../src/usage/usage-event.ts';
import type { UsageEvent } from '../../../src/usage/usage-event.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import { answerJson, startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const token = 'proxy-token-of-test';

const event = (id: number): UsageEvent =>
  usageEvent.parse({
    id: String(id).padStart(26, '0'),
    at: '2026-01-01T00:00:00Z',
    principal_id: 1,
    key_id: null,
    model_id: 1,
    model: 'm',
    provider_id: 1,
    virtual_model: 'm',
    path: '/v1/chat/completions',
    snapshot_version: 1,
    route: 'concrete',
    tag: null,
    stream: false,
    status: 200,
    refusal: null,
    prompt_tokens: 1,
    completion_tokens: 1,
    usage_reported: true,
    reported_cost_micros: null,
    cached: false,
    duration_ms: 1,
    ttft_ms: 1,
    attempts: 1,
    prompt_estimate: 1,
    max_tokens: null,
  });

const reporter = (controlUrl: string, more: { flushMs: number; queuedMax?: number }) => {
  const client = createControlClient({ controlUrl, proxyToken: token, caBundle: [] });
  const counts = newCounts();
  const made = createUsageReporter({
    client,
    replica: 'r',
    run: '01ARZ3NDEKTSV4RRFFQ6000000',
    counts,
    log: collectLog([]),
    ...more,
  });
  return { ...made, counts, client };
};

describe('usage reporter', () => {
  it('sends the same events again until they are accepted', async () => {
    await using upstream = await startUpstream(answerJson({}, 503));
    const usage = reporter(upstream.apiBase.replace('/v1', ''), { flushMs: 10 });
    usage.record(event(1), null);
    await until(() => upstream.seen.length >= 2, { what: 'a second delivery' });
    upstream.play(answerJson({ accepted: 1, dropped: 0 }));
    await until(() => usage.queued() === 0, { what: 'the delivery' });
    const bodies = new Set(upstream.seen.map(({ body }) => body.toString()));
    assert.equal(bodies.size, 1);
    assert.equal(usage.counts.usageDropped, 0);
    await usage.close();
    await usage.client.close();
  });

  it('sends rows that arrive during a delivery with the next full batch', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    await using upstream = await startUpstream((seen, response) => {
      if (upstream.seen.length === 1)
        for (let id = 1; id <= 20; id++) usage.record(event(id), null);
      answerJson({ accepted: 1, dropped: 0 })(seen, response);
    });
    const usage = reporter(upstream.apiBase.replace('/v1', ''), { flushMs: 5000 });
    usage.record(event(0), null);
    t.mock.timers.tick(5000);
    await until(() => usage.queued() === 20, { what: 'the first delivery' });
    for (let id = 21; id <= 500; id++) usage.record(event(id), null);
    await until(() => usage.queued() === 0, { what: 'the second delivery' });
    const sizes = upstream.seen.map(
      ({ body }) => usageBatch.parse(JSON.parse(String(body))).events.length,
    );
    assert.deepEqual(sizes, [1, 500]);
    await usage.close();
    await usage.client.close();
  });

  it('sends queued events in batches of 500, without waiting for the timer', async () => {
    await using upstream = await startUpstream(answerJson({}));
    const usage = reporter(upstream.apiBase.replace('/v1', ''), { flushMs: 60_000 });
    for (let id = 0; id < 1200; id++) usage.record(event(id), null);
    await usage.close();
    const sizes = upstream.seen.map(
      ({ body }) => usageBatch.parse(JSON.parse(body.toString())).events.length,
    );
    assert.deepEqual(sizes, [500, 500, 200]);
    await usage.client.close();
  });

  it('leaves a partial batch to the timer', async () => {
    await using upstream = await startUpstream(answerJson({}));
    const usage = reporter(upstream.apiBase.replace('/v1', ''), { flushMs: 60_000 });
    for (let id = 0; id < 700; id++) usage.record(event(id), null);
    await until(() => usage.queued() === 200, { what: 'the delivery of a whole batch' });
    usage.record(event(700), null);
    await usage.close();
    const sizes = upstream.seen.map(
      ({ body }) => usageBatch.parse(JSON.parse(body.toString())).events.length,
    );
    assert.deepEqual(sizes, [500, 201]);
    await usage.client.close();
  });

  it('drops and counts events that do not fit into a full queue', async () => {
    const usage = reporter(await unusedApiBase(), { flushMs: 60_000, queuedMax: 10 });
    for (let id = 0; id < 25; id++) usage.record(event(id), null);
    assert.equal(usage.counts.usageDropped, 15);
    await usage.close();
    assert.equal(usage.counts.usageDropped, 25);
    await usage.client.close();
  });

  it('keeps events refused because of the token, until the token is fixed', async () => {
    await using upstream = await startUpstream(answerJson({}, 401));
    const usage = reporter(upstream.apiBase.replace('/v1', ''), { flushMs: 2 });
    usage.record(event(1), null);
    await until(() => upstream.seen.length > 25, { what: 'many refusals' });
    upstream.play(answerJson({}));
    await until(() => usage.queued() === 0, { what: 'the delivery' });
    assert.equal(usage.counts.usageDropped, 0);
    await usage.close();
    await usage.client.close();
  });

  it('drops a batch that is refused repeatedly, so that others are delivered', async () => {
    await using upstream = await startUpstream(answerJson({}, 400));
    const usage = reporter(upstream.apiBase.replace('/v1', ''), { flushMs: 2 });
    usage.record(event(1), null);
    await until(() => usage.counts.usageDropped === 1, { what: 'the batch to be dropped' });
    assert.equal(usage.queued(), 0);
    await usage.close();
    await usage.client.close();
  });
});
