// The client library of the Messages API works against the gateway as it does against its own vendor, whichever
// protocol the backend speaks and whichever of two versions of the library it is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { protocol } from '../../../src/lib/vocabulary.ts';
import type { Protocol } from '../../../src/lib/vocabulary.ts';
import { messagesClients } from '../../harness/gateway/anthropic-clients.ts';
import type { Asked, MessagesClient } from '../../harness/gateway/anthropic-clients.ts';
import { startMessages } from '../../harness/gateway/messages.ts';
import { answerInProtocol } from '../../harness/upstream/protocol-answers.ts';
import type { ScriptedAnswer } from '../../harness/upstream/protocol-answers.ts';
import { answerJson } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { answerEvents, answerFailed, vendors } from '../../harness/upstream/vendors.ts';
import { chunk, framesOf } from '../../protocols/messages/given.ts';

const asked: Asked = {
  model: 'm',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [{ name: 'weather', input_schema: { type: 'object' } }],
};

const calls = [
  { id: 'call_1', name: 'weather', input: { city: 'Zürich 🏔' } },
  { id: 'call_2', name: 'weather', input: {} },
];
const everything: ScriptedAnswer = { thinking: 'hm', text: 'Let me see.', calls };
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64');

const cities = ['Ulm', 'Zürich 🏔', 'Köln "Mitte"', 'São Paulo\n', 'Москва'];
const resultsIn = (body: Buffer): number =>
  [...body.toString().matchAll(/"tool_result"|"functionResponse"|"role":"tool"/g)].length;

/** Asks for the weather of one city after the other, and is then content. */
const loop = (turn: number): ScriptedAnswer => {
  const city = cities[turn];
  if (city === undefined) return { text: 'All is well' };
  const input = { city, at: 12_345_678_901_234, deep: [{ x: null }] };
  return { calls: [{ id: `call_${turn}`, name: 'weather', input }] };
};

/** Runs the tools that are called until none is, and gives what each was called with. */
async function runTools(client: MessagesClient, way: 'create' | 'stream') {
  const messages = [...asked.messages];
  const inputs: unknown[] = [];
  for (;;) {
    const { content, stop_reason: reason } = await client[way]({ ...asked, messages });
    messages.push({ role: 'assistant', content });
    if (reason !== 'tool_use') return { inputs, content };
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      inputs.push(block.input);
      const result = { type: 'tool_result', tool_use_id: block.id, content: 'sunny' } as const;
      messages.push({ role: 'user', content: [result] });
    }
  }
}

/** A stream that begins and does not end. */
const begunBy = (spoken: Protocol): Buffer =>
  vendors.find(({ protocol: name }) => name === spoken)?.begun ??
  framesOf(chunk({ content: 'Hel' }));

/** The error format of each kind of backend. */
function failing(spoken: Protocol, status: number): Script {
  const vendor = vendors.find(({ protocol: name }) => name === spoken);
  const error = { error: { message: `the vendor says ${status}`, type: 'some_error' } };
  return vendor === undefined ? answerJson(error, status) : answerFailed(vendor, status);
}

for (const { name, open } of messagesClients) {
  const start = async (script: Script, spoken: Protocol) => {
    const session = await startMessages(script, { protocol: spoken });
    const given = { baseURL: session.gateway.url, apiKey: 'key', maxRetries: 0 };
    return { ...session, client: open(given) };
  };

  for (const spoken of protocol.options) {
    describe(`the client library ${name} over protocol ${spoken}`, () => {
      const signature = spoken === 'anthropic' ? 'EoQDCm0IDhgC' : '';
      for (const way of ['create', 'stream'] as const) {
        it(`receives thinking, text, calls and usage, by ${way}`, async () => {
          await using session = await start(
            answerInProtocol(spoken, () => everything),
            spoken,
          );
          const { content, stop_reason: reason, usage } = await session.client[way](asked);
          assert.deepEqual(content, [
            { type: 'thinking', thinking: 'hm', signature },
            { type: 'text', text: 'Let me see.' },
            ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
          ]);
          assert.equal(reason, 'tool_use');
          const { input_tokens: input, cache_read_input_tokens: read, output_tokens: out } = usage;
          assert.deepEqual([input, read, out], [3, 8, 7]);
        });

        it(`runs its tools turn by turn with the same arguments, by ${way}`, async () => {
          const script = answerInProtocol(spoken, ({ body }) => loop(resultsIn(body)));
          await using session = await start(script, spoken);
          const { inputs, content } = await runTools(session.client, way);
          const expected = cities.map((_, turn) => loop(turn).calls?.[0]?.input);
          assert.deepEqual(inputs, expected);
          assert.deepEqual(content, [{ type: 'text', text: 'All is well' }]);
          const sent = session.upstream.seen.at(-1)?.body.toString() ?? '';
          for (const input of expected) {
            const text = JSON.stringify(input);
            assert.ok(sent.includes(text) || sent.includes(JSON.stringify(text)), text);
          }
        });
      }

      it('sends images unchanged', async () => {
        await using session = await start(
          answerInProtocol(spoken, () => everything),
          spoken,
        );
        const source = { type: 'base64', media_type: 'image/png', data: picture } as const;
        const content = [{ type: 'image', source } as const];
        await session.client.create({ ...asked, messages: [{ role: 'user', content }] });
        assert.ok(session.upstream.seen[0]?.body.includes(picture));
      });

      it('throws the class of each error with the vendor’s message', async () => {
        await using session = await start(failing(spoken, 400), spoken);
        const { client, upstream } = session;
        const { errors } = client;
        const kinds = [
          [400, errors.BadRequestError],
          [401, errors.AuthenticationError],
          [429, errors.RateLimitError],
          [529, errors.InternalServerError],
        ] as const;
        for (const [status, kind] of kinds) {
          upstream.play(failing(spoken, status));
          for (const way of ['create', 'stream'] as const) {
            await assert.rejects(client[way](asked), (error) => {
              assert.ok(error instanceof kind, `${status} by ${way}`);
              assert.match(error.message, new RegExp(`the vendor says ${status}`));
              return true;
            });
          }
        }
      });

      it('reports a stream that breaks off', async () => {
        await using session = await start(answerEvents(begunBy(spoken)), spoken);
        await assert.rejects(session.client.stream(asked), session.client.errors.APIError);
      });
    });
  }

  describe(`the client library ${name}`, () => {
    it('exposes the request id', async () => {
      await using session = await start(answerJson(), 'openai');
      assert.match((await session.client.requestId(asked)) ?? '', /^\w{26}$/);
    });

    it('passes betas to a backend of its own API', async () => {
      await using session = await start(
        answerInProtocol('anthropic', () => ({ text: 'Hello' })),
        'anthropic',
      );
      assert.equal(await session.client.betaText(asked, 'b'), 'Hello');
      assert.equal(session.upstream.seen[0]?.headers['anthropic-beta'], 'b');
    });

    it('counts tokens and lists models', async () => {
      await using session = await start(answerJson(), 'openai');
      const { model, messages } = asked;
      assert.ok((await session.client.count({ model, messages })) > 0);
      assert.deepEqual(await session.client.modelIds(), ['m']);
    });

    it('reports a model that is not served', async () => {
      await using session = await start(answerJson(), 'openai');
      const { client } = session;
      await assert.rejects(client.create({ ...asked, model: 'x' }), client.errors.NotFoundError);
    });
  });
}
