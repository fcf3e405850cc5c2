// Tests that contents of requests and answers, and keys, never appear in log lines, metrics or
// spans, also after errors.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { readLogFilter } from '../../src/telemetry/log-filter.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { openTracer } from '../../src/telemetry/open-tracer.ts';
import { startCollector } from '../harness/gateway/collector.ts';
import { startTestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, startUpstream, unusedApiBase } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';

const canaries = ['prompt', 'answer', 'upstream-key', 'client-key', 'wrong-key', 'cookie', 'agent'];
const canary = (name: string): string => {
  assert.ok(canaries.includes(name));
  return `canary-${name}-5f3a`;
};

const broken: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write(canary('answer'), () => response.destroy());
};

const outcomes: readonly Script[] = [
  answerJson({ canary: canary('answer') }),
  answerJson({ error: { message: `bad key ${canary('upstream-key')}` } }, 401),
  answerJson({ error: { message: canary('prompt') } }, 500),
  (_, response) => void response.end(canary('answer')),
  broken,
  (_, response) => void response.destroy(),
];

it('no canary is in the log, the metrics or the spans', async () => {
  await using collector = await startCollector();
  const lines: string[] = [];
  const filter = readLogFilter('trace');
  assert.ok(!isRefusal(filter));
  const write = (line: string): void => void lines.push(line);
  const log = createLog({ filter, format: 'json', write });
  const { endpoint } = collector;
  const options = { endpoint, sampleOneIn: 1, serviceName: 'gw', version: '1', log };
  const tracer = await openTracer(options);
  await using upstream = await startUpstream(answerJson());
  const credential = canary('upstream-key');
  const backends = [{ apiBase: upstream.apiBase, credential }];
  const away = [{ apiBase: await unusedApiBase(), credential }];
  await using gateway = await startTestGateway(
    { models: { m: { backends }, away: { backends: away } }, keys: { [canary('client-key')]: {} } },
    { log, tracer },
  );
  const send = async (model: string, key: string, body?: string): Promise<number> => {
    const messages = [{ role: 'user', content: canary('prompt') }];
    const headers = {
      authorization: `Bearer ${key}`,
      cookie: `session=${canary('cookie')}`,
      'user-agent': canary('agent'),
    };
    try {
      const response = await gateway.chat(body ?? JSON.stringify({ model, messages }), headers);
      await response.text();
      return response.status;
    } catch {
      return 0;
    }
  };
  for (const script of outcomes) {
    upstream.play(script);
    await send('m', canary('client-key'));
  }
  assert.equal(await send('away', canary('client-key')), 502);
  assert.equal(await send('m', canary('wrong-key')), 401);
  assert.equal(await send('m', canary('client-key'), `{"${canary('prompt')}`), 400);
  const page = await gateway.metrics();
  await gateway.gateway.close(0);
  assert.ok(lines.length >= outcomes.length && collector.spans.length >= outcomes.length);
  const shown = [...lines, page, ...collector.bodies].join('\n');
  for (const name of canaries) assert.ok(!shown.includes(canary(name)), name);
});
