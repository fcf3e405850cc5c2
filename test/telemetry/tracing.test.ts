// Tests spans of a real gateway as a real collector receives them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openTracer } from '../../src/telemetry/open-tracer.ts';
import type { TracerOptions } from '../../src/telemetry/trace.ts';
import { startCollector } from '../harness/gateway/collector.ts';
import type { Collector } from '../harness/gateway/collector.ts';
import { chatBody, collectLog, startTestGateway } from '../harness/gateway/gateway.ts';
import type { LogLine } from '../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../harness/gateway/snapshot.ts';
import {
  answerJson,
  answerStream,
  startUpstream,
  unusedApiBase,
} from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const keys = { key: {} };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';
const sampled = { authorization: 'Bearer key', traceparent: `00-${traceId}-${parent}-01` };
const unsampled = { authorization: 'Bearer key', traceparent: `00-${traceId}-${parent}-00` };

async function startTraced(
  endpoint: string,
  given: GivenSnapshot,
  options: Partial<TracerOptions> = {},
) {
  const lines: LogLine[] = [];
  const tracer = await openTracer({
    endpoint,
    sampleOneIn: 1,
    serviceName: 'gw-under-test',
    version: '1.2.3',
    log: collectLog(lines),
    delayMs: 10,
    ...options,
  });
  return { gateway: await startTestGateway(given, { tracer }), lines };
}

const spansOf = ({ spans }: Collector, count: number) =>
  until(() => (spans.length >= count ? spans : null), { what: `${count} spans` });

describe('a traced request', () => {
  it('has one span, which says what was asked for and what answered', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerStream(['a', 'b']));
    const { apiBase } = upstream;
    const { gateway } = await startTraced(collector.endpoint, {
      models: { m: { backends: [{ apiBase, upstreamModel: 'up' }] } },
      keys,
    });
    await using _ = gateway;
    const before = Date.now();
    await (await gateway.chat(chatBody('m', { stream: true }), sampled)).text();
    const [span] = await spansOf(collector, 1);
    assert.ok(span !== undefined);
    assert.equal(span.name, 'chat_completion');
    assert.equal(span.kind, 2, 'SERVER');
    assert.equal(span.traceId, traceId);
    assert.equal(span.parentSpanId, parent);
    assert.deepEqual(span.attributes, {
      model: 'm',
      served_model: 'm',
      backend: apiBase,
      route: 'concrete',
      stream: true,
      status: 200,
      attempts: 1,
    });
    assert.equal(span.resource['service.name'], 'gw-under-test');
    assert.equal(span.resource['service.version'], '1.2.3');
    const [start, end] = [span.startTimeUnixNano, span.endTimeUnixNano].map(Number);
    assert.ok(start !== undefined && end !== undefined);
    assert.ok(start >= (before - 1) * 1e6 && end > start && end <= (Date.now() + 1) * 1e6);
    assert.equal(collector.spans.length, 1);
    const [seen] = upstream.seen;
    assert.equal(seen?.headers['traceparent'], `00-${traceId}-${span.spanId}-01`);
  });

  it('names the model that served in place of the one that failed, and the attempts', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson());
    const away = await unusedApiBase();
    const backends = [{ apiBase: away }, { apiBase: upstream.apiBase }];
    const { gateway } = await startTraced(collector.endpoint, {
      models: { m: { backends } },
      keys,
    });
    await using _ = gateway;
    await (await gateway.chat(chatBody('m'))).text();
    const [span] = await spansOf(collector, 1);
    assert.equal(span?.attributes['attempts'], 2);
    assert.equal(span?.attributes['backend'], upstream.apiBase);
    assert.equal(span?.attributes['stream'], false);
    assert.equal(span?.parentSpanId, undefined);
  });

  it('ends in an error when nothing could be reached', async () => {
    await using collector = await startCollector();
    const backends = [{ apiBase: await unusedApiBase() }];
    const { gateway } = await startTraced(collector.endpoint, {
      models: { m: { backends } },
      keys,
    });
    await using _ = gateway;
    assert.equal((await gateway.chat(chatBody('m'))).status, 502);
    const [span] = await spansOf(collector, 1);
    const expected = { model: 'm', stream: false, status: 502, attempts: 1 };
    assert.deepEqual(span?.attributes, expected);
    assert.equal(span?.status.code, 2);
  });

  it('is one that was refused too, but for callers without a key', async () => {
    await using collector = await startCollector();
    const { gateway } = await startTraced(collector.endpoint, { models: {}, keys });
    await using _ = gateway;
    assert.equal(
      (await gateway.chat(chatBody('m'), { ...sampled, authorization: 'no' })).status,
      401,
    );
    assert.equal((await gateway.chat(chatBody('absent'))).status, 404);
    assert.equal((await gateway.chat('{')).status, 400);
    const spans = await spansOf(collector, 2);
    const shown = spans.map(({ attributes }) => [attributes['model'], attributes['status']]);
    assert.deepEqual(shown, [
      ['absent', 404],
      [undefined, 400],
    ]);
    await gateway.gateway.close(0);
    assert.equal(collector.spans.length, 2);
  });

  it('says nothing of its body, its caller or a credential', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson({ canary: 'canary-answer' }));
    const { gateway } = await startTraced(collector.endpoint, {
      models: { m: { backends: [{ apiBase: upstream.apiBase, credential: 'canary-upstream' }] } },
      keys: { 'canary-key': {} },
    });
    await using _ = gateway;
    const headers = { authorization: 'Bearer canary-key', 'user-agent': 'canary-agent' };
    await (await gateway.chat(chatBody('m', { user: 'canary-user' }), headers)).text();
    await spansOf(collector, 1);
    assert.doesNotMatch(collector.bodies.join('\n'), /canary/);
  });
});

describe('the sampling decision', () => {
  it('is the upstream’s when it made one, and the client’s header goes on as it came', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson());
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    const { gateway } = await startTraced(
      collector.endpoint,
      { models, keys },
      { sampleOneIn: 1000 },
    );
    await using _ = gateway;
    await (await gateway.chat(chatBody('m'), unsampled)).text();
    await (await gateway.chat(chatBody('m'), sampled)).text();
    await (await gateway.chat(chatBody('m'), unsampled)).text();
    await gateway.gateway.close(0);
    assert.equal(collector.spans.length, 1);
    const sent = upstream.seen.map(({ headers }) => headers['traceparent']);
    const own = `00-${traceId}-${collector.spans[0]?.spanId}-01`;
    assert.deepEqual(sent, [unsampled.traceparent, own, unsampled.traceparent]);
  });

  it('is one in n of the others, exactly', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson());
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    const { gateway } = await startTraced(collector.endpoint, { models, keys }, { sampleOneIn: 5 });
    await using _ = gateway;
    for (let n = 0; n < 20; n++) await (await gateway.chat(chatBody('m'))).text();
    await gateway.gateway.close(0);
    assert.equal(collector.spans.length, 4);
    assert.equal(new Set(collector.spans.map(({ traceId }) => traceId)).size, 4);
  });
});

describe('a collector', () => {
  it('that is unreachable is logged once, and traffic is served untraced', async () => {
    await using upstream = await startUpstream(answerJson());
    const away = (await unusedApiBase()).replace('/v1', '');
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    const { gateway, lines } = await startTraced(away, { models, keys }, { queuedMax: 3 });
    await using _ = gateway;
    const said = () => lines.filter(({ message }) => message.includes('served untraced'));
    await until(() => said().length > 0, { what: 'the line' });
    for (let n = 0; n < 10; n++) {
      const response = await gateway.chat(chatBody('m'));
      assert.equal(response.status, 200);
      await response.text();
    }
    const dropped = await until(
      async () => /gw_trace_spans_total\{result="dropped"\} (\d+)/.exec(await gateway.metrics()),
      { what: 'the series' },
    );
    assert.ok(Number(dropped[1]) >= 4, dropped[0]);
    assert.equal(said().length, 1);
    assert.equal(said()[0]?.level, 'warn');
  });

  it('that rejects spans is logged once, and once when it accepts them again', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson());
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    const { gateway, lines } = await startTraced(collector.endpoint, { models, keys });
    await using _ = gateway;
    const send = async () => (await gateway.chat(chatBody('m'))).text();
    const count = (result: string, value: number) =>
      until(
        async () =>
          (await gateway.metrics()).includes(`gw_trace_spans_total{result="${result}"} ${value}\n`),
        { what: `${value} ${result}` },
      );
    collector.answer(400);
    await send();
    await count('refused', 1);
    await send();
    await count('refused', 2);
    collector.answer(200);
    await send();
    await count('exported', 1);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['warn', 'info'],
    );
  });

  it('is sent what is queued when the gateway closes', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream(answerJson());
    const models = { m: { backends: [{ apiBase: upstream.apiBase }] } };
    const options = { delayMs: 60_000 };
    const { gateway } = await startTraced(collector.endpoint, { models, keys }, options);
    for (let n = 0; n < 3; n++) await (await gateway.chat(chatBody('m'))).text();
    assert.equal(collector.spans.length, 0);
    await gateway.gateway.close(1000);
    assert.equal(collector.spans.length, 3);
  });
});
