// Requests that wait in vain take a backend out of rotation, for a time that no probe shortens.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const keys = { key: {} };

/** Its model list is answered, its requests are not. */
const wedged: Script = (request, response) => {
  if (request.method === 'GET') answerJson({ data: [] })(request, response);
};

it('two header timeouts in a row eject a backend, which comes back on probation', async () => {
  await using bad = await startUpstream(wedged);
  await using good = await startUpstream(answerJson());
  let skippedMs = 0;
  await using gateway = await startTestGateway(
    { models: { m: { backends: [{ apiBase: bad.apiBase }, { apiBase: good.apiBase }] } }, keys },
    {
      firstByteMs: 400,
      now: () => Date.now() + skippedMs,
      probes: { intervalMs: 40, timeoutMs: 500 },
    },
  );
  const posts = () => bad.seen.filter(({ method }) => method === 'POST').length;
  const ask = async (times: number) => {
    for (let turn = 0; turn < times; turn++) {
      assert.equal((await gateway.chat(chatBody('m'))).status, 200);
    }
    return posts();
  };
  const line = (message: string) =>
    gateway.logLines.findLast((one) => one.message.includes(message))?.fields;

  assert.equal(await ask(4), 2);
  const out = line('out of rotation');
  assert.deepEqual([out?.['reason'], out?.['seconds']], ['header timeouts', 30]);
  const before = bad.seen.length;
  await until(() => bad.seen.length >= before + 3, { what: 'probes that pass' });
  assert.equal(await ask(4), 2, 'no probe shortens it');
  assert.match(await gateway.metrics(), /gw_backend_ejections_total\{.*\} 1\n/);
  skippedMs += 30_500;
  assert.equal(await ask(4), 3, 'one more timeout is enough');
  assert.equal(line('out of rotation')?.['seconds'], 60);
  skippedMs += 60_500;
  bad.play(answerJson());
  await ask(4);
  bad.play(wedged);
  const served = posts();
  assert.equal(await ask(6), served + 2, 'an answer ended the probation');
  assert.equal(line('out of rotation')?.['seconds'], 30);
});

it('a request is still tried at the one backend of a model that is ejected', async () => {
  await using bad = await startUpstream(wedged);
  const models = { m: { backends: [{ apiBase: bad.apiBase }] } };
  await using gateway = await startTestGateway({ models, keys }, { firstByteMs: 400 });
  for (let turn = 0; turn < 3; turn++) {
    assert.equal((await gateway.chat(chatBody('m'))).status, 502);
  }
  assert.equal(bad.seen.length, 3);
  const health = JSON.parse(await (await fetch(`${gateway.url}/health`)).text());
  assert.equal(health.status, 'no_healthy_backends');
  bad.play(answerJson());
  assert.equal((await gateway.chat(chatBody('m'))).status, 200);
});
