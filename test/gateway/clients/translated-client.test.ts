// The client library that most callers use works over backends of the other protocols as it does over
// its own: it is given chats, and its own errors.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { APIError, OpenAI, RateLimitError } from 'openai';

import { isObject } from '../../../src/protocols/json.ts';
import { startTestGateway } from '../../harness/gateway/gateway.ts';
import { answerInProtocol } from '../../harness/upstream/protocol-answers.ts';
import type { ScriptedAnswer } from '../../harness/upstream/protocol-answers.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import {
  answerEvents,
  answerFailed,
  breakEvents,
  startEvents,
  vendors,
} from '../../harness/upstream/vendors.ts';
import type { Vendor } from '../../harness/upstream/vendors.ts';
import { until } from '../../harness/wait.ts';

async function start({ protocol, upstreamModel }: Vendor, script: Script, maxRetries = 0) {
  const upstream = await startUpstream(script);
  const { apiBase } = upstream;
  const backends = [{ apiBase, protocol, upstreamModel, defaultMaxTokens: 100 }];
  const gateway = await startTestGateway({ models: { m: { backends } }, keys: { key: {} } });
  return {
    upstream,
    gateway,
    client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'key', maxRetries }),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const messages = [{ role: 'user', content: 'Hi' }] as const;
const asked = { model: 'm', messages: [...messages] };
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64');
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** The turn of a tool loop that a request is in: how many results it brings. */
const turnOf = (body: Buffer): number =>
  [...body.toString().matchAll(/"type":"tool_result"|"functionResponse"/g)].length;

const cities = ['Ulm', 'Zürich 🏔', 'Köln "Mitte"', 'São Paulo\n', 'Москва'];

/** Asks for the weather of one city after the other, and is then content. */
function weatherAt(turn: number): ScriptedAnswer {
  const city = cities[turn];
  if (city === undefined) return { text: 'All is well' };
  return { calls: [{ id: `call_${turn}`, name: 'weather', input: { city } }] };
}

/** The arguments of the calls that a request brings back, as the vendor is sent them. */
function argumentsIn(body: Buffer): readonly string[] {
  const found: string[] = [];
  JSON.parse(body.toString(), (key: string, value: unknown) => {
    if ((key === 'input' || key === 'args') && isObject(value)) found.push(String(value['city']));
    return value;
  });
  return found;
}

const weatherTool = (hear: (city: string) => void) => ({
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: schema,
    parse: JSON.parse,
    function: ({ city }: { city: string }): string => {
      hear(city);
      return `sunny in ${city}`;
    },
  },
});

for (const vendor of vendors) {
  const { protocol, begun, ended, message } = vendor;

  describe(`the openai client over protocol ${protocol}`, () => {
    it('gets a completion', async () => {
      await using session = await start(vendor, answerJson(message));
      const answer = await session.client.chat.completions.create(asked);
      assert.equal(answer.choices[0]?.message.content, 'Hello');
      assert.equal(answer.choices[0].finish_reason, 'stop');
      assert.equal(answer.usage?.prompt_tokens_details?.cached_tokens, 8);
    });

    it('gets a stream, with the usage it asks for', async () => {
      await using session = await start(vendor, answerEvents(begun, ended));
      const stream = session.client.chat.completions.stream({
        ...asked,
        stream_options: { include_usage: true },
      });
      assert.equal(await stream.finalContent(), 'Hello');
      assert.equal((await stream.totalUsage()).total_tokens, 18);
    });

    for (const stream of [true, false]) {
      const way = stream ? 'in a stream' : 'whole';
      it(`runs its tools turn by turn, with the same arguments each time, ${way}`, async () => {
        const script = answerInProtocol(protocol, ({ body }) => weatherAt(turnOf(body)));
        await using session = await start(vendor, script);
        const heard: string[] = [];
        const tool = weatherTool((city) => heard.push(city));
        const { completions } = session.client.chat;
        const runner = stream
          ? completions.runTools({ ...asked, stream, tools: [tool] })
          : completions.runTools({ ...asked, tools: [tool] });
        assert.equal(await runner.finalContent(), 'All is well');
        assert.deepEqual(heard, cities);
        const last = session.upstream.seen.at(-1)?.body ?? assert.fail();
        assert.deepEqual(argumentsIn(last), cities);
        for (const city of cities) {
          assert.ok(last.includes(JSON.stringify(`sunny in ${city}`).slice(1, -1)));
        }
      });
    }

    it('sends images unchanged', async () => {
      await using session = await start(vendor, answerJson(message));
      const url = `data:image/png;base64,${picture}`;
      await session.client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      });
      const sent = session.upstream.seen[0]?.body.toString() ?? '';
      assert.match(sent, /"(?:media_type|mimeType)":"image\/png"/);
      assert.ok(sent.includes(picture) && !sent.includes('data:image'));
    });

    it('sends the schema of a structured answer', async () => {
      await using session = await start(vendor, answerJson(message));
      await session.client.chat.completions.create({
        ...asked,
        response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
      });
      const sent = JSON.parse(session.upstream.seen[0]?.body.toString() ?? '');
      const said =
        sent.output_config?.format.schema ?? sent.generationConfig?.responseJsonSchema ?? {};
      assert.deepEqual(said.properties, schema.properties);
      assert.deepEqual(said.required, schema.required);
    });

    it('throws its own errors, with the vendor’s message', async () => {
      await using session = await start(vendor, answerFailed(vendor, 401));
      const failed = session.client.chat.completions.create(asked);
      await assert.rejects(
        failed,
        (error) => error instanceof OpenAI.AuthenticationError && /says 401/.test(error.message),
      );
      session.upstream.play(answerFailed(vendor, 429, { 'retry-after': '7' }));
      await assert.rejects(
        session.client.chat.completions.create({ ...asked, stream: true }),
        (error) => error instanceof RateLimitError && error.headers.get('retry-after') === '7',
      );
    });

    it('retries only what can be retried', async () => {
      const failed = answerFailed(vendor, 529, { 'retry-after': '0' });
      let tries = 0;
      const script: Script = (seen, response) =>
        (tries++ === 0 ? failed : answerJson(message))(seen, response);
      await using session = await start(vendor, script, 2);
      const answer = await session.client.chat.completions.create(asked);
      assert.equal(answer.choices[0]?.message.content, 'Hello');
      assert.equal(tries, 2);
      const { events } = session.gateway;
      const before = events.length;
      const unsupported = session.client.chat.completions.create({ ...asked, n: 2 });
      await assert.rejects(
        unsupported,
        (error) => error instanceof APIError && error.status === 501,
      );
      assert.match(
        await session.gateway.metrics(),
        /gw_rejections_total\{reason="unsupported"\} 1\n/,
      );
      assert.equal(events.length, before);
    });

    it('throws when a stream fails or is cut off, after the earlier output', async () => {
      const heard = Promise.withResolvers<void>();
      const failing: Script = (seen, response) => {
        startEvents(begun)(seen, response);
        void heard.promise.then(() => response.end(vendor.failure));
      };
      for (const script of [failing, breakEvents(begun)]) {
        await using session = await start(vendor, script);
        const stream = await session.client.chat.completions.create({ ...asked, stream: true });
        let said = '';
        await assert.rejects(
          async () => {
            for await (const chunk of stream) {
              said += chunk.choices[0]?.delta.content ?? '';
              if (said === 'Hello') heard.resolve();
            }
          },
          (error) => error instanceof APIError,
        );
        assert.equal(said, 'Hello');
      }
    });

    it('aborts the upstream when it stops reading', async () => {
      await using session = await start(vendor, startEvents(begun));
      const stream = await session.client.chat.completions.create({ ...asked, stream: true });
      for await (const _ of stream) break;
      await until(() => session.upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
    });
  });
}
