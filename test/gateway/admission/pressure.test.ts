// Tests the levels of memory pressure, and a gateway under pressure.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { watchMemory } from '../../../src/gateway/admission/memory-watch.ts';
import { pressureOf } from '../../../src/gateway/admission/pressure.ts';
import type { Pressure } from '../../../src/gateway/admission/pressure.ts';
import { chatBody, collectLog, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

describe('memory pressure', () => {
  for (const [inUse, before, now] of [
    [0.84, 'none', 'none'],
    [0.85, 'none', 'high'],
    [0.92, 'none', 'severe'],
    [0.95, 'none', 'critical'],
    [1, 'none', 'critical'],
    [0.83, 'high', 'high'],
    [0.81, 'high', 'none'],
    [0.9, 'severe', 'severe'],
    [0.93, 'critical', 'critical'],
    [0.91, 'critical', 'severe'],
    [0.83, 'critical', 'high'],
    [0.93, 'high', 'severe'],
    [0.96, 'severe', 'critical'],
    [0.5, 'critical', 'none'],
  ] as const) {
    it(`at ${inUse} after ${before} is ${now}`, () => assert.equal(pressureOf(inUse, before), now));
  }
});

describe('the watch of memory', () => {
  it('reads the heap after a full collection, and keeps the reading for a limited time', async () => {
    let now = 0;
    let told = 0;
    const lines: LogLine[] = [];
    let inUse = 0.96;
    const watch = watchMemory({
      log: collectLog(lines),
      monotonic: () => now,
      onHigh: () => void told++,
      inUse: () => inUse,
      checkMs: 1,
    });
    assert.equal(watch.pressure(), 'none');
    const isCritical = () => {
      collectGarbage();
      return watch.pressure() === 'critical';
    };
    await until(isCritical, { what: 'the reading' });
    assert.ok(told > 0);
    assert.equal(lines[0]?.message, 'memory pressure changed');
    now = 6000;
    assert.equal(watch.pressure(), 'none');
    inUse = 0.5;
    const isOver = () => lines.at(-1)?.fields['to'] === 'none';
    await until(isOver, { what: 'the end of it, without a collection' });
    watch.stop();
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}

const answered = async (pressure: Pressure) => {
  await using upstream = await startUpstream(answerJson());
  const given = { models: { m: { backends: [{ apiBase: upstream.apiBase }] } }, keys: { key: {} } };
  await using gateway = await startTestGateway(given, { pressure: () => pressure });
  const response = await gateway.chat(chatBody('m'));
  await response.arrayBuffer();
  const health = await fetch(`${gateway.url}/health`);
  await health.arrayBuffer();
  const { status, headers } = response;
  return {
    status,
    closes: headers.get('connection') === 'close',
    retryAfter: headers.get('retry-after'),
    health: health.status,
  };
};

describe('a gateway under memory pressure', () => {
  it('serves as always below the second level', async () => {
    const served = { status: 200, closes: false, retryAfter: null, health: 200 };
    assert.deepEqual(await answered('none'), served);
    assert.deepEqual(await answered('high'), served);
  });

  it('keeps no connection at the second', async () => {
    const served = { status: 200, closes: true, retryAfter: null, health: 200 };
    assert.deepEqual(await answered('severe'), served);
  });

  it('refuses new requests at the last, and still reports its health', async () => {
    const refused = { status: 503, closes: true, retryAfter: '1', health: 200 };
    assert.deepEqual(await answered('critical'), refused);
  });
});
