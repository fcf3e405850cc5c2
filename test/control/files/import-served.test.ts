// Tests that an upstream receives the same path, headers, body and credential whether a file is
// served in File mode or imported into a control plane. No entry sends the credential of another.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { importConfig } from '../../../src/control/files/import.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { fileOfText } from '../../harness/gateway/config-file.ts';
import { startTestGateway } from '../../harness/gateway/gateway.ts';
import { testPlane } from '../../harness/control/plane.ts';
import { completion, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../../harness/upstream/upstream.ts';

const answers: Readonly<Record<string, unknown>> = {
  messages: {
    id: 'm-1',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  generateContent: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
};

const inItsProtocol: Script = ({ path }, response) => {
  const answer = answers[/(\w+)$/.exec(path)?.[1] ?? ''] ?? completion;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
};

type Entry = Readonly<{
  name: string;
  model: string;
  upstream: 'one' | 'two';
  /** The request that its upstream must receive. Null for none. */
  credential: readonly [header: string, value: string] | null;
  more?: Readonly<Record<string, unknown>>;
}>;

const bearer = (key: string) => ['authorization', `Bearer ${key}`] as const;

/**
 * All combinations of keys and addresses. Each model sends its own upstream name, which identifies
 * the entry.
 */
const entries: readonly Entry[] = [
  { name: 'a', model: 'openai/a', upstream: 'one', credential: bearer('sk-org-a') },
  { name: 'b', model: 'vllm/b', upstream: 'one', credential: bearer('sk-org-b') },
  { name: 'none', model: 'none', upstream: 'one', credential: null },
  { name: 'a-again', model: 'a-again', upstream: 'one', credential: bearer('sk-org-a') },
  { name: 'a-there', model: 'a-there', upstream: 'two', credential: bearer('sk-org-a') },
  { name: 'none-there', model: 'none-there', upstream: 'two', credential: null },
  {
    name: 'raw',
    model: 'openai/raw',
    upstream: 'two',
    credential: ['x-own', 'sk-own'],
    more: { auth_header: 'x-own', auth_scheme: '' },
  },
  {
    name: 'claude',
    model: 'anthropic/claude',
    upstream: 'one',
    credential: ['x-api-key', 'sk-claude'],
    more: { default_max_tokens: 9 },
  },
  {
    name: 'claude-none',
    model: 'anthropic/claude-none',
    upstream: 'one',
    credential: null,
    more: { default_max_tokens: 9 },
  },
  {
    name: 'gemini',
    model: 'gemini/gemini',
    upstream: 'two',
    credential: ['x-goog-api-key', 'sk-gemini'],
  },
  { name: 'pool', model: 'openai/pool-1', upstream: 'one', credential: bearer('sk-org-b') },
  { name: 'pool', model: 'openai/pool-2', upstream: 'two', credential: null },
];

type Upstreams = Readonly<Record<Entry['upstream'], ScriptedUpstream>>;

const configText = (upstreams: Upstreams, list: readonly Entry[]): string =>
  JSON.stringify({
    model_list: list.map(({ name, model, upstream, credential, more }) => ({
      model_name: name,
      litellm_params: {
        model,
        api_base: upstreams[upstream].apiBase,
        api_key: credential === null ? 'not-needed' : credential[1].replace('Bearer ', ''),
        ...more,
      },
    })),
    auth: { keys: [{ key: 'key', name: 'team', models: ['*'] }] },
  });

async function importedSnapshot(t: TestContext, text: string): Promise<Snapshot> {
  const { plane } = await testPlane(t);
  const given = { source: readSource(text, {}), environment: {}, dryRun: false };
  const report = await importConfig({ plane, newId: randomUUID }, given);
  assert.ok('changes' in report, JSON.stringify(report));
  const current = plane.publisher.current();
  assert.ok(current !== null);
  return current.snapshot;
}

/**
 * The two may choose different members of a pool for a conversation. With this many, each member
 * serves some.
 */
const conversations = Array.from({ length: 16 }, (_, at) => `talk ${at + 10}`);

/**
 * The upstream, path, headers and body of received requests, without what differs between requests.
 */
async function received(upstreams: Upstreams, snapshot: Snapshot): Promise<readonly string[]> {
  for (const { seen } of Object.values(upstreams)) seen.length = 0;
  await using gateway = await startTestGateway(null);
  assert.equal(gateway.live.apply(snapshot), undefined);
  for (const name of new Set(entries.map((entry) => entry.name))) {
    const asked = name === 'pool' ? conversations : conversations.slice(0, 1);
    for (const stream of [false, true]) {
      for (const content of asked) {
        const messages = [{ role: 'user', content }];
        await (await gateway.chat({ model: name, messages, stream })).text();
      }
    }
  }
  const lines = Object.entries(upstreams).flatMap(([name, { seen }]) =>
    seen.flatMap(({ method, path, headers, body }) => {
      const kept = Object.entries(headers).filter(([header]) => header !== 'x-request-id');
      const line = JSON.stringify([name, path, kept, body.toString()]);
      return method === 'POST' ? line.replace(/talk \d\d/, 'talk') : [];
    }),
  );
  return [...new Set(lines)].toSorted((a, b) => (a < b ? -1 : 1));
}

const keys = ['sk-org-a', 'sk-org-b', 'sk-own', 'sk-claude', 'sk-gemini'];

describe('a file that is imported', () => {
  for (const [order, list] of [
    ['in its order', entries],
    ['in reverse order', entries.toReversed()],
  ] as const) {
    it(`sends upstreams the same requests as File mode, ${order}`, async (t) => {
      await using one = await startUpstream(inItsProtocol);
      await using two = await startUpstream(inItsProtocol);
      const upstreams = { one, two };
      const text = configText(upstreams, list);
      const inFileMode = await received(upstreams, fileOfText(text).snapshot);
      for (const { model, upstream, credential } of entries) {
        const sent = inFileMode.filter((request) =>
          new RegExp(`[\\\\/"]${model.split('/').at(-1)}[\\\\:"]`).test(request),
        );
        assert.ok(sent.length > 0, `${model} is asked`);
        for (const request of sent) {
          assert.ok(request.startsWith(`["${upstream}",`), request);
          const held = keys.filter((key) => request.includes(key));
          assert.deepEqual(held, credential === null ? [] : [credential[1].replace('Bearer ', '')]);
          assert.ok(credential === null || request.includes(JSON.stringify(credential)), request);
        }
      }
      assert.deepEqual(await received(upstreams, await importedSnapshot(t, text)), inFileMode);
    });
  }
});
