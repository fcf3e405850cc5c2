// Tests every role with TLS at each end: the admin listener with a private CA, which the proxy
// trusts by --ca-bundle, and a backend with one, which the control plane and the gateways call.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { Agent, fetch } from 'undici';
import { z } from 'zod';

import {
  encryptionKey,
  login,
  prepareControl,
  proxyToken,
} from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import type { Program } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const file = (name: string): string => path.join(import.meta.dirname, '../fixtures/tls', name);
const certificate = file('cert.pem');
const listener = ['--tls-cert', certificate, '--tls-key', file('key.pem')];
const trusting = ['--ca-bundle', certificate];
const tls = { cert: readFileSync(certificate), key: readFileSync(file('key.pem')) };

/** Starts a provider that serves one model, only over HTTPS. */
async function httpsProvider(test: TestContext): Promise<string> {
  const server = createServer(tls, (request, response) => {
    request.resume();
    const list = { object: 'list', data: [{ id: 'm' }] };
    const chat = { id: 'c', object: 'chat.completion', choices: [] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'GET' ? list : chat));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return `https://localhost:${port}/v1`;
}

/** Posts as an administrator who trusts the certificate. */
async function administrator(test: TestContext, adminUrl: string) {
  const dispatcher = new Agent({ connect: { ca: tls.cert } });
  test.after(() => dispatcher.destroy());
  const post = (at: string, body: unknown, cookie = '') =>
    fetch(adminUrl + at, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
      dispatcher,
    });
  const session = await post('/login', login);
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return (at: string, body: unknown) => post(at, body, cookie);
}

type Post = Awaited<ReturnType<typeof administrator>>;

/** Creates a model on that provider, and a key that may call it. */
async function configure(post: Post, apiBase: string): Promise<string> {
  const provider = await post('/admin/providers', { name: 'p', api_base: apiBase });
  assert.equal(provider.status, 200, await provider.text());
  await post('/admin/provider-models', { name: 'm' });
  await post('/admin/provider-models/1/backends', { provider_id: 1 });
  const key = await post('/admin/keys', { name: 'k', principal_id: 1 });
  return z.object({ key: z.string() }).parse(await key.json()).key;
}

const chat = (url: string, key: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
  });

const startFollowingGateway = async (program: Program): Promise<string> =>
  z.object({ url: z.string() }).parse(await program.logged('gateway started')).url;

const adminOf = async (program: Program): Promise<string> => {
  const started = await program.logged('control plane started');
  const { admin } = z.object({ admin: z.url({ protocol: /^https$/ }) }).parse(started);
  return admin.replace('127.0.0.1', 'localhost');
};

async function start(test: TestContext, args: readonly string[], env: Record<string, string>) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-tls-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const cache = ['--snapshot-cache', path.join(directory, 'snapshot.json')];
  const isProxy = args.includes('proxy');
  return startProgram(test, { args: [...args, ...(isProxy ? cache : [])], env });
}

describe('TLS from end to end', () => {
  it('works between a control plane, a proxy and a backend', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const control = await start(
      test,
      ['--role', 'control', '--admin-port', '0', ...listener, ...trusting],
      { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey, GW_PROXY_TOKEN: proxyToken },
    );
    const adminUrl = await adminOf(control);
    const key = await configure(await administrator(test, adminUrl), await httpsProvider(test));
    const follow = ['--role', 'proxy', '--port', '0', '--control-url', adminUrl];
    const proxy = await start(test, [...follow, ...trusting], { GW_PROXY_TOKEN: proxyToken });
    const gateway = await startFollowingGateway(proxy);
    await until(async () => (await fetch(`${gateway}/readyz`)).status === 200, { what: 'ready' });
    const answer = await chat(gateway, key);
    assert.equal(answer.status, 200, await answer.text());

    const stranger = await start(test, follow, { GW_PROXY_TOKEN: proxyToken });
    const without = await startFollowingGateway(stranger);
    await until(() => stranger.logs.some((line) => /certificate/i.test(JSON.stringify(line))), {
      what: 'the refusal of an untrusted certificate',
    });
    assert.equal((await fetch(`${without}/readyz`)).status, 503);
  });

  it('works for role all and its backend', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const all = await start(
      test,
      ['--role', 'all', '--port', '0', '--admin-port', '0', ...listener, ...trusting],
      { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey },
    );
    const post = await administrator(test, await adminOf(all));
    const key = await configure(post, await httpsProvider(test));
    const answer = await chat(await startFollowingGateway(all), key);
    assert.equal(answer.status, 200, await answer.text());
  });
});
