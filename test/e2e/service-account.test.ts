// Tests that a service account's key file stays in the control plane's process. The proxy sends the
// access token, and later the renewed one without a new snapshot version (Gateway rule 15).

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { token, tokenServer } from '../harness/upstream/token-server.ts';
import { until } from '../harness/wait.ts';

/** Answers every request, and keeps the credentials of chats. */
async function recordingUpstream(test: TestContext) {
  const chats: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') chats.push(request.headers.authorization);
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'cloudy' }], choices: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { apiBase: `http://127.0.0.1:${address.port}/v1`, chats };
}

it('a proxy sends the access token of a service account, and later the renewed one', async (t) => {
  const tokens = await tokenServer(t);
  tokens.answerWith(token(4));
  const upstream = await recordingUpstream(t);
  const { url: databaseUrl } = await testDatabase(t);
  await prepareControl(databaseUrl);
  const { admin, adminUrl } = await startControlProgram(t, databaseUrl, {
    GW_EGRESS_ALLOW: '127.0.0.0/8',
  });
  const post = (path: string, body: unknown) =>
    admin.send({ method: 'POST', path, body, answer: z.looseObject({ id: z.int() }) });
  await post('/admin/providers', {
    api_base: upstream.apiBase,
    upstream_api_key: tokens.keyFile(),
    credential_kind: 'cloud_service_account',
  });
  await post('/admin/models', { name: 'cloudy' });
  await post('/admin/models/1/backends', { provider_id: 1 });
  const { key } = await post('/admin/keys', { name: 'k', principal_id: 1 });

  const { url } = await startProxyProgram(t, { controlUrl: adminUrl });
  const chat = async (): Promise<number> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'cloudy', messages: [] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const version = async (): Promise<unknown> => {
    const health = z.looseObject({ snapshot_version: z.int() });
    return health.parse(await (await fetch(`${url}/health`)).json()).snapshot_version;
  };
  const before = await version();
  assert.equal(await chat(), 200);
  await until(async () => (await chat()) === 200 && new Set(upstream.chats).size >= 2, {
    what: 'another token from the proxy',
  });
  assert.equal(await version(), before);
  assert.ok(upstream.chats.every((sent) => /^Bearer token-\d+$/.test(sent ?? '')));
});
