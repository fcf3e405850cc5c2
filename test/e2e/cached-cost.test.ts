// Tests through both planes that cached prompt tokens cost their own price: 100,000 prompt tokens of
// which 99,000 are cached, 100 completion tokens, at 3.00, 0.30 and 15.00 US dollars per million.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { z } from 'zod';

import type { AdminClient } from '../../src/cli/control-plane/admin-client.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { createCaller } from '../harness/program/demo-model.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const costMicros = 34_200;

const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
const backends: Readonly<Record<string, Script>> = {
  openai: answerJson({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'up',
    choices: [choice],
    usage: {
      prompt_tokens: 100_000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 99_000 },
    },
  }),
  anthropic: answerJson({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1000, cache_read_input_tokens: 99_000, output_tokens: 100 },
  }),
  gemini: answerJson({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 100_000,
      cachedContentTokenCount: 99_000,
      candidatesTokenCount: 100,
    },
  }),
};

const modelLists: Readonly<Record<string, unknown>> = {
  openai: { object: 'list', data: [{ id: 'up', object: 'model' }] },
  anthropic: { data: [{ id: 'up', type: 'model' }], has_more: false },
  gemini: { models: [{ name: 'models/up' }] },
};

const made = z.looseObject({ id: z.int() });

async function addModel(admin: AdminClient, protocol: string, apiBase: string): Promise<void> {
  const post = (path: string, body: unknown) =>
    admin.send({ method: 'POST', path, body, answer: made });
  const provider = await post('/admin/providers', { name: protocol, protocol, api_base: apiBase });
  const model = await post('/admin/provider-models', {
    name: protocol,
    input_price_per_mtok: 3_000_000,
    output_price_per_mtok: 15_000_000,
    price_card: { cache_read: 300_000 },
  });
  await post(`/admin/provider-models/${model.id}/backends`, {
    provider_id: provider.id,
    upstream_model: 'up',
    default_max_tokens: 200,
  });
}

const totals = z.array(
  z.looseObject({
    key: z.string(),
    requests: z.int(),
    cost_micros: z.int().nullable(),
    unpriced_requests: z.int(),
  }),
);
const budget = z.looseObject({ cost_used_micros: z.int() });

test('a prompt read from the cache of the provider is charged at the price of cached tokens', async (t) => {
  const { url: databaseUrl } = await testDatabase(t);
  await prepareControl(databaseUrl);
  const control = await startControlProgram(t, databaseUrl);
  const { admin } = control;
  for (const [protocol, script] of Object.entries(backends)) {
    const list = answerJson(modelLists[protocol]);
    const upstream = await startUpstream((request, answer) =>
      (request.method === 'GET' ? list : script)(request, answer),
    );
    t.after(() => upstream[Symbol.asyncDispose]());
    await addModel(admin, protocol, upstream.apiBase);
  }
  const caller = await createCaller(admin, 'app');
  await caller.give('budget', { cost_total_micros: 1_000_000_000, window: 'monthly' });
  const proxy = await startProxyProgram(t, { controlUrl: control.adminUrl });
  const openai = new OpenAI({ apiKey: caller.key, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: caller.key, baseURL: proxy.url, maxRetries: 0 });

  const names = Object.keys(backends);
  await until(() => openai.models.list().then(({ data }) => data.length === names.length), {
    what: 'the proxy serves the models',
  });
  for (const model of names) {
    const user = { role: 'user', content: 'Hi' } as const;
    const chat = await openai.chat.completions.create({ model, messages: [user] });
    assert.equal(chat.usage?.prompt_tokens_details?.cached_tokens, 99_000);
    const message = await anthropic.messages.create({ model, max_tokens: 200, messages: [user] });
    assert.equal(message.usage.cache_read_input_tokens, 99_000);
  }
  const rows = await until(
    async () => {
      const read = totals.parse(await admin.get('/admin/usage?group_by=model', totals));
      return read.length === names.length && read.every(({ requests }) => requests === 2) && read;
    },
    { what: 'the requests are counted' },
  );
  for (const row of rows) {
    assert.deepEqual([row.cost_micros, row.unpriced_requests], [2 * costMicros, 0], row.key);
  }
  const { cost_used_micros: used } = await admin.get(
    `/admin/principals/${caller.id}/budget`,
    budget,
  );
  assert.equal(used, 2 * names.length * costMicros);
});
