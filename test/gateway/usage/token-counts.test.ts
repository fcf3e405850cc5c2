// Tests through real sockets that cached tokens reach the usage row and the client, in the names of
// its API, from every backend, streamed or not (specification, "Gateway rules", 11).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { rowCost } from '../../../src/control/usage/usage-cost.ts';
import { usageEvent } from '../../../src/usage/usage-event.ts';
import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import { startMessages } from '../../harness/gateway/messages.ts';
import { rowOf } from '../../harness/gateway/translated.ts';
import {
  backends,
  chatBackend,
  chatTier,
  chatUsage,
  messageInput,
  messageOutput,
  responseUsage,
} from '../../harness/upstream/cached-prompts.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';
import { completion } from '../../protocols/messages/given.ts';
import { valuesOf } from '../../recorded/reading.ts';

const user = [{ role: 'user', content: 'Hi' }];
const members = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
const usageIn = (value: unknown) => members(members(value)['usage']);

type Client = Readonly<{
  path: string;
  body: object;
  /** The counts that the client sees in a whole answer, and in the events of a stream. */
  seen: (answer: unknown) => unknown;
  seenInEvents: (events: readonly unknown[]) => unknown;
  expected: object;
}>;

const inChat = (answer: unknown) => ({ ...usageIn(answer), tier: members(answer)['service_tier'] });

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: user, stream_options: { include_usage: true } },
    seen: inChat,
    seenInEvents: (events) => inChat(events.at(-1)),
    expected: { ...chatUsage, tier: 'flex' },
  },
  'the Messages API': {
    path: '/v1/messages',
    body: { messages: user, max_tokens: 200 },
    seen: usageIn,
    // A client adds what the last event says to what the first said.
    seenInEvents: (events) => ({
      ...usageIn(members(events[0])['message']),
      ...usageIn(events.findLast((event) => members(event)['type'] === 'message_delta')),
    }),
    expected: { ...messageInput, ...messageOutput, ...chatTier },
  },
  'the Responses API': {
    path: '/v1/responses',
    body: { input: 'Hi' },
    seen: inChat,
    seenInEvents: (events) => inChat(members(events.at(-1))['response']),
    expected: { ...responseUsage, tier: 'flex' },
  },
};

/** 3.00 and 15.00 US dollars per million tokens, and 0.30 for those read from the cache. */
const prices = { input: 3_000_000, output: 15_000_000, card: { cache_read: 300_000 } };

/** The cost without the tier, which has prices of its own. */
function costAtList(row: unknown): number | null {
  const event = usageEvent.parse(row);
  const versions = [{ version: 1, fromMs: 0, ...prices }];
  return rowCost({ ...event, service_tier: null }, versions, Date.parse(event.at)).cost_micros;
}

for (const [served, { protocol, whole, stream }] of Object.entries(backends)) {
  describe(`99,000 cached of 100,000 prompt tokens of a backend of ${served}`, () => {
    for (const [spoken, client] of Object.entries(clients)) {
      for (const isStream of [false, true]) {
        it(`reach the row and a client of ${spoken}${isStream ? ' that streams' : ''}`, async () => {
          await using upstream = await startUpstream(isStream ? stream : whole);
          const { apiBase } = upstream;
          const backend = { apiBase, protocol, upstreamModel: 'up', defaultMaxTokens: 200 };
          await using gateway = await startTestGateway({
            models: { m: { backends: [backend] } },
            keys: { key: {} },
          });
          const answer = await fetch(gateway.url + client.path, {
            method: 'POST',
            headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
            body: JSON.stringify({ model: 'm', ...client.body, ...(isStream && { stream: true }) }),
          });
          const text = await answer.text();
          assert.equal(answer.status, 200, text);
          const seen = isStream
            ? client.seenInEvents(valuesOf(text))
            : client.seen(JSON.parse(text));
          assert.partialDeepStrictEqual(seen, client.expected);
          const row = await rowOf(gateway);
          assert.equal(costAtList(row), 34_200);
          assert.partialDeepStrictEqual(row, {
            usage_reported: true,
            usage_estimated: false,
            prompt_tokens: 100_000,
            cache_read_tokens: 99_000,
            completion_tokens: 100,
            reasoning_tokens: 40,
            input_audio_tokens: null,
            service_tier: 'flex',
          });
          const metrics = await gateway.metrics();
          const counted = { input: 1000, cache_read: 99_000, output: 60, reasoning: 40 };
          for (const [kind, count] of Object.entries(counted)) {
            assert.match(
              metrics,
              new RegExp(`gw_tokens_total\\{model="m",kind="${kind}"\\} ${count}\\n`),
            );
          }
        });
      }
    }
  });
}

it('explicit zeros of a backend are not replaced by an estimate', async () => {
  const usage = { prompt_tokens: 0, completion_tokens: 0 };
  await using session = await startMessages(
    answerJson(completion({ content: 'Hi' }, {}, { usage })),
  );
  await (await session.gateway.chat(chatBody('m'))).text();
  assert.partialDeepStrictEqual(await rowOf(session.gateway), {
    usage_reported: true,
    usage_estimated: false,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_read_tokens: null,
  });
});

it('an answer of the response cache has the counts of its original, and uses no tokens', async () => {
  await using session = await startMessages(chatBackend.whole, { cacheTtlSeconds: 60 });
  const { gateway } = session;
  await (await gateway.chat(chatBody('m'))).text();
  const before = await tokensOf(gateway);
  await (await gateway.chat(chatBody('m'))).text();
  const row = await until(() => gateway.events[1], { what: 'a second usage row' });
  assert.partialDeepStrictEqual(row, { cached: true, cache_read_tokens: 99_000 });
  assert.deepEqual(await tokensOf(gateway), before);
  assert.equal(before.length, 4);
});

it('parts that exceed their total are limited to it, and counted', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, num_cached_tokens: 9 };
  await using session = await startMessages(
    answerJson(completion({ content: 'Hi' }, {}, { usage })),
  );
  await (await session.gateway.chat(chatBody('m'))).text();
  const row = await rowOf(session.gateway);
  assert.partialDeepStrictEqual(row, { prompt_tokens: 5, cache_read_tokens: 5 });
  assert.match(await session.gateway.metrics(), /^gw_usage_clamped_total 1$/m);
});

const tokensOf = async ({ metrics }: TestGateway): Promise<readonly string[]> =>
  (await metrics()).split('\n').filter((line) => line.startsWith('gw_tokens_total{'));
