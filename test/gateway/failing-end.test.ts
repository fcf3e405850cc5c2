// A request ends with its usage row also if the gateway fails after the answer was complete.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { newCounts } from '../../src/telemetry/metrics.ts';
import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

it('ends a request whose answer could not be stored in the cache', async () => {
  await using upstream = await startUpstream(answerJson());
  const counts = newCounts();
  Object.defineProperty(counts.cache, 'store', {
    get: () => 0,
    set: () => {
      throw new RangeError('no room');
    },
  });
  await using gateway = await startTestGateway(
    { models: { m: { backends: [upstream], cacheTtlSeconds: 60 } }, keys: { key: {} } },
    { counts },
  );
  const response = await gateway.chat(chatBody('m'));
  assert.equal(response.status, 200);
  await until(() => gateway.events.length === 1, { what: 'a usage row' });
  assert.equal(gateway.events[0]?.usage_reported, true);
  const fault = gateway.logLines.find(({ message }) => message === 'an answer was cut off');
  assert.equal(fault?.fields['fault'], 'internal error: RangeError');
});
