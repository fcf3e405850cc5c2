// Tests that 99,000 cached of 100,000 prompt tokens cost exactly what the provider charges, with gw
// processes: for every client's API and backend, streamed or not, in the ledger and in budgets.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { loginToAdmin } from '../../src/cli/control-plane/admin-client.ts';
import type { AdminClient } from '../../src/cli/control-plane/admin-client.ts';
import { encryptionKey, login, prepareControl } from '../harness/program/control-program.ts';
import { createCaller } from '../harness/program/demo-model.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { backends, serving } from '../harness/upstream/cached-prompts.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

/** 1,000 tokens at 3.00, 99,000 at 0.30 and 100 at 15.00 per million. */
const microsEach = 34_200;
const prices = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
const card = { cache_read: 300_000, service_tiers: { flex: { percent: 100 } } };

const protocols = ['openai', 'anthropic', 'gemini'] as const;
const user = [{ role: 'user', content: 'Hi' }];
const clients: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages: user, stream_options: { include_usage: true } },
  '/v1/messages': { messages: user, max_tokens: 200 },
  '/v1/responses': { input: 'Hi' },
};

/** A request of each API to each backend, whole and streamed. */
const requests = protocols.flatMap((model) =>
  Object.entries(clients).flatMap(([route, body]) =>
    [{}, { stream: true }].map((more) => ({ route, body: { model, ...body, ...more } })),
  ),
);

type Addresses = Readonly<Record<string, string>>;

/** The address of an upstream for each protocol. */
async function startBackends(t: TestContext): Promise<Addresses> {
  const started = await Promise.all(
    protocols.map(async (protocol) => {
      const backend = backends[protocol];
      assert.ok(backend);
      const upstream = await startUpstream(serving(backend));
      t.after(() => upstream[Symbol.asyncDispose]());
      return [protocol, upstream.apiBase] as const;
    }),
  );
  return Object.fromEntries(started);
}

async function send(url: string, key: string, { route, body }: (typeof requests)[number]) {
  const response = await fetch(url + route, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

const started = z.object({ url: z.string() });

async function makeModels(admin: AdminClient, addresses: Addresses): Promise<void> {
  const answer = z.looseObject({ id: z.int() });
  const post = (at: string, body: unknown) =>
    admin.send({ method: 'POST', path: `/admin/${at}`, body, answer });
  for (const protocol of protocols) {
    const address = { api_base: addresses[protocol], protocol };
    const provider = await post('providers', { name: protocol, ...address });
    const model = await post('models', { name: protocol, ...prices, price_card: card });
    const backend = { provider_id: provider.id, default_max_tokens: 200 };
    await post(`models/${model.id}/backends`, backend);
  }
}

const rows = z.array(
  z.looseObject({
    path: z.string(),
    model: z.string(),
    stream: z.boolean(),
    cost_micros: z.int().nullable(),
    currency: z.string().nullable(),
    price_version: z.int().nullable(),
  }),
);

it('in the ledger and in the budget of a control plane', async (t) => {
  const addresses = await startBackends(t);
  const { url: databaseUrl } = await testDatabase(t);
  await prepareControl(databaseUrl);
  const program = startProgram(t, {
    args: ['--role', 'all', '--port', '0', '--admin-port', '0'],
    env: { GW_DATABASE_URL: databaseUrl, GW_ENCRYPTION_KEY: encryptionKey },
  });
  const control = z.object({ admin: z.string() });
  const { admin: address } = control.parse(await program.logged('control plane started'));
  const { url } = started.parse(await program.logged('gateway started'));
  const admin = await loginToAdmin(address, login);
  await makeModels(admin, addresses);
  const { id, key, give } = await createCaller(admin, 'caller');
  await give('budget', { cost_total_micros: 1_000_000_000, window: 'daily' });
  const isKnown = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${url}/v1/models`, { headers })).status === 200;
  };
  await until(isKnown, { what: 'the key at the proxy' });
  for (const request of requests) assert.equal(await send(url, key, request), 200);

  const read = async () => {
    const all = await admin.send({
      method: 'GET',
      path: '/admin/usage/events?limit=100',
      answer: rows,
    });
    return all.length === requests.length ? all : null;
  };
  const stored = await until(read, { what: 'a row of each request' });
  assert.equal(new Set(stored.map((row) => `${row.path} ${row.model} ${row.stream}`)).size, 18);
  const costs = stored.map((row) => [row.cost_micros, row.currency, row.price_version]);
  const expected = requests.map(() => [microsEach, 'USD', 1]);
  assert.deepEqual(costs, expected);
  const budgets = await admin.send({
    method: 'GET',
    path: `/admin/principals/${id}/budget`,
    answer: z.looseObject({ cost_used_micros: z.int() }),
  });
  assert.equal(budgets.cost_used_micros, requests.length * microsEach);
});

for (const { more, status } of [
  { more: 0, status: 402 },
  { more: 1, status: 200 },
]) {
  const words = more === 0 ? 'spent to the micro-unit refuses' : 'with one micro-unit left admits';
  it(`a budget of a configuration file ${words} the next request`, async (t) => {
    const addresses = await startBackends(t);
    const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-price-cards-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const models = protocols.map((protocol) => ({
      model_name: protocol,
      litellm_params: {
        model: `${protocol}/up`,
        api_base: addresses[protocol],
        protocol,
        default_max_tokens: 200,
        input_cost_per_token: 3e-6,
        output_cost_per_token: 15e-6,
      },
      model_info: { price_card: card },
    }));
    const budget = { cost_total_micros: requests.length * microsEach + more, window: 'daily' };
    const keys = [{ key: 'a-key', name: 'caller', models: ['*'], budget }];
    const file = path.join(directory, 'gw.yaml');
    await writeFile(file, JSON.stringify({ model_list: models, auth: { keys } }));
    const program = startProgram(t, {
      args: ['--port', '0', '--config', file],
      env: { GW_BUDGET_STATE: path.join(directory, 'budgets') },
    });
    const { url } = started.parse(await program.logged('gateway started'));
    const statuses: number[] = [];
    for (const request of requests) statuses.push(await send(url, 'a-key', request));
    assert.deepEqual(new Set(statuses), new Set([200]));
    const [again] = requests;
    assert.ok(again);
    assert.equal(await send(url, 'a-key', again), status);
  });
}
