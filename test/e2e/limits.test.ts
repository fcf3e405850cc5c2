// Tests budgets and rate limits between processes: spending reported by a proxy leads to refusals
// without a new snapshot version, and two proxies share one limit.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import type { AdminClient } from '../../src/cli/control-plane/admin-client.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const any = z.looseObject({});
const withKey = z.looseObject({ key: z.string() });

async function startControl(t: TestContext, apiBase: string) {
  const { url: databaseUrl } = await testDatabase(t);
  await prepareControl(databaseUrl);
  const control = await startControlProgram(t, databaseUrl, { GW_SNAPSHOT_REBUILD_INTERVAL: '1' });
  const send = (method: 'POST' | 'PUT', path: string, body: unknown) =>
    control.admin.send({ method, path, body, answer: any });
  await send('POST', '/admin/providers', { name: 'p', api_base: apiBase });
  await send('POST', '/admin/models', { name: 'm' });
  await send('POST', '/admin/models/1/backends', { provider_id: 1 });
  return { ...control, send, key: (await createKey(control.admin)).key };
}

const createKey = (admin: AdminClient) =>
  admin.send({
    method: 'POST',
    path: '/admin/keys',
    body: { name: 'k', principal_id: 1 },
    answer: withKey,
  });

type Control = Awaited<ReturnType<typeof startControl>>;

async function startProxy(t: TestContext, { adminUrl, key }: Control) {
  const env = { GW_RATE_LIMIT_RECONCILE_INTERVAL: '1' };
  const { url } = await startProxyProgram(t, { controlUrl: adminUrl, env });
  const chat = async (): Promise<Response> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [] }),
    });
    await response.arrayBuffer();
    return response;
  };
  const health = z.looseObject({ snapshot_version: z.int() });
  const version = async (): Promise<number> =>
    health.parse(await (await fetch(`${url}/health`)).json()).snapshot_version;
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  return { chat, version, metrics };
}

/** Serves its model list and answers chats with 18 tokens. */
const upstreamOfModels = () =>
  startUpstream((request, response) =>
    request.method === 'GET'
      ? void response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }))
      : answerJson()(request, response),
  );

it('a spent budget refuses requests at a separate proxy without a new snapshot version', async (t) => {
  await using upstream = await upstreamOfModels();
  const control = await startControl(t, upstream.apiBase);
  const proxy = await startProxy(t, control);
  const before = await proxy.version();
  await control.send('PUT', '/admin/principals/1/budget', { tokens_total: 18, window: 'daily' });
  await until(async () => (await proxy.version()) > before, { what: 'the budget at the proxy' });
  const version = await proxy.version();
  assert.equal((await proxy.chat()).status, 200);
  assert.equal((await proxy.chat()).status, 402);
  assert.equal(await proxy.version(), version);
  const budgets = z.array(z.looseObject({ tokens_used: z.int() }));
  const isCounted = async () =>
    (await control.admin.get('/admin/budgets', budgets))[0]?.tokens_used === 18;
  await until(isCounted, { what: 'the usage to be counted' });
  assert.equal((await proxy.chat()).status, 402);
  await control.send('PUT', '/admin/principals/1/budget', { tokens_total: 10_000_000 });
  await until(async () => (await proxy.chat()).status === 200, { what: 'the raised budget' });
});

it('two proxies share a rate limit', async (t) => {
  await using upstream = await upstreamOfModels();
  const control = await startControl(t, upstream.apiBase);
  const limit = 2000;
  await control.send('PUT', '/admin/principals/1/limits', { requests_per_min: limit });
  const proxies = [await startProxy(t, control), await startProxy(t, control)] as const;
  let asked = 0;
  const remaining = async ({ chat }: (typeof proxies)[number]): Promise<number> =>
    Number((await chat()).headers.get('x-ratelimit-remaining-requests'));
  // A proxy that counted only its own requests would have the rest of the limit left.
  await until(
    async () => {
      asked++;
      const left = await Promise.all(proxies.map(remaining));
      return left.every((one) => one < limit - asked - 20);
    },
    { what: 'each proxy to count what the other was asked for' },
  );
  assert.ok(asked < limit / 2, `${asked} requests at each alone did not use the limit up`);
});

it('two proxies spend a budget once', async (t) => {
  await using upstream = await upstreamOfModels();
  const control = await startControl(t, upstream.apiBase);
  const proxies = [await startProxy(t, control), await startProxy(t, control)] as const;
  // Each answer uses 18 tokens.
  const requests = 100;
  const before = await Promise.all(proxies.map(({ version }) => version()));
  await control.send('PUT', '/admin/principals/1/budget', { tokens_total: 18 * requests });
  const isKnown = async (): Promise<boolean> => {
    const versions = await Promise.all(proxies.map(({ version }) => version()));
    return versions.every((version, index) => version > (before[index] ?? 0));
  };
  await until(isKnown, { what: 'the budget at the proxies' });
  const budgets = z.array(z.looseObject({ tokens_used: z.int() }));
  const used = async (): Promise<number> =>
    ((await control.admin.get('/admin/budgets', budgets))[0]?.tokens_used ?? 0) / 18;
  let answered = 0;
  const ask = async ({ chat }: (typeof proxies)[number]): Promise<void> => {
    if ((await chat()).status === 200) answered++;
  };
  const inFlight = 8;
  await until(
    async () => {
      await Promise.all(
        proxies.flatMap((proxy) => [ask(proxy), ask(proxy), ask(proxy), ask(proxy)]),
      );
      return (await used()) >= 0.95 * requests;
    },
    { what: 'the budget to be used' },
  );
  const granted = /^gw_allotments_granted_total\{dimension="budget_tokens"\} [1-9]/m;
  assert.match(await (await fetch(`${control.adminUrl}/metrics`)).text(), granted);
  const pages = await Promise.all(proxies.map(({ metrics }) => metrics()));
  for (const page of pages) assert.match(page, /^gw_allotments_outage 0$/m);
  assert.match(pages.join('\n'), /^gw_allotments_used_total\{dimension="budget_tokens"\} [1-9]/m);
  t.diagnostic(`${answered} of ${requests} requests`);
  // Requests in flight cost more than their estimates.
  assert.ok(answered <= requests + inFlight, `${answered} of ${requests} requests`);
});
