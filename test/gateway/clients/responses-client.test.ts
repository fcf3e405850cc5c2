// The OpenAI client library speaks the Responses API through the gateway, whichever protocol the backend speaks.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { APIError, OpenAI } from 'openai';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';

import { protocol } from '../../../src/lib/vocabulary.ts';
import type { Protocol } from '../../../src/lib/vocabulary.ts';
import { startMessages } from '../../harness/gateway/messages.ts';
import { answerInProtocol } from '../../harness/upstream/protocol-answers.ts';
import type { ScriptedAnswer } from '../../harness/upstream/protocol-answers.ts';
import { rowOf } from '../../harness/gateway/translated.ts';
import { answerJson } from '../../harness/upstream/upstream.ts';
import type { Script, SeenRequest } from '../../harness/upstream/upstream.ts';
import { answerFailed, vendors } from '../../harness/upstream/vendors.ts';

type Asked = Omit<ResponseCreateParamsNonStreaming, 'stream'>;

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const asked: Asked = {
  model: 'm',
  max_output_tokens: 64,
  input: 'Hi',
  tools: [{ type: 'function', name: 'weather', parameters, strict: false }],
};

const calls = [
  { id: 'call_1', name: 'weather', input: { city: 'Zürich 🏔' } },
  { id: 'call_2', name: 'weather', input: {} },
];
const everything: ScriptedAnswer = { thinking: 'hm', text: 'Let me see.', calls };

/** An engine that speaks chat and no other API. */
const chatOnly =
  (script: Script): Script =>
  (request, response) =>
    request.path === '/v1/responses'
      ? answerJson({ detail: 'Not Found' }, 404)(request, response)
      : script(request, response);

async function start(script: Script, spoken: Protocol) {
  const session = await startMessages(chatOnly(script), { protocol: spoken });
  const baseURL = `${session.gateway.url}/v1`;
  return { ...session, client: new OpenAI({ baseURL, apiKey: 'key', maxRetries: 0 }) };
}

const startSaying = (spoken: Protocol, said: (request: SeenRequest) => ScriptedAnswer) =>
  start(answerInProtocol(spoken, said), spoken);

const ways = {
  create: (client: OpenAI, body: Asked) => client.responses.create(body),
  stream: (client: OpenAI, body: Asked) => client.responses.stream(body).finalResponse(),
};

async function eventsOf(client: OpenAI, body: Asked): Promise<readonly ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...body, stream: true })) {
    events.push(event);
  }
  return events;
}

const resultsIn = (body: Buffer): number =>
  [...body.toString().matchAll(/"tool_result"|"functionResponse"|"role":"tool"/g)].length;

const cities = ['Ulm', 'Zürich 🏔', 'Köln "Mitte"'];

/** Asks for the weather of one city after the other, and is then content. */
const loop = (turn: number): ScriptedAnswer => {
  const city = cities[turn];
  if (city === undefined) return { text: 'All is well' };
  return { thinking: 'hm', calls: [{ id: `call_${turn}`, name: 'weather', input: { city } }] };
};

const resultOf = (call_id: string) =>
  ({ type: 'function_call_output', call_id, output: 'sunny' }) as const;

/** The items that a client resends when it stores the conversation itself. */
const sentBack = (output: readonly ResponseOutputItem[]): readonly ResponseInputItem[] =>
  output.flatMap((item) =>
    item.type === 'function_call' || item.type === 'message' || item.type === 'reasoning'
      ? [item]
      : [],
  );

for (const spoken of protocol.options) {
  describe(`the Responses API over protocol ${spoken}`, () => {
    for (const way of ['create', 'stream'] as const) {
      it(`returns thinking, text, calls and usage, by ${way}`, async () => {
        await using session = await startSaying(spoken, () => everything);
        const answer = await ways[way](session.client, asked);
        assert.deepEqual(
          [answer.object, answer.status, answer.model, answer.output_text],
          ['response', 'completed', 'm', 'Let me see.'],
        );
        const [reasoning, message, ...told] = answer.output;
        assert.ok(reasoning?.type === 'reasoning' && message?.type === 'message');
        assert.deepEqual(reasoning.summary, [{ type: 'summary_text', text: 'hm' }]);
        assert.deepEqual(
          told.map((item) =>
            item.type === 'function_call' ? [item.call_id, item.name, item.arguments] : item.type,
          ),
          calls.map(({ id, name, input }) => [id, name, JSON.stringify(input)]),
        );
        const {
          input_tokens: input,
          input_tokens_details: read,
          output_tokens: output,
        } = answer.usage ?? assert.fail('no usage');
        assert.deepEqual([input, read.cached_tokens, output], [11, 8, 7]);
        const row = await rowOf(session.gateway);
        assert.deepEqual(
          [row.path, row.prompt_tokens, row.completion_tokens],
          ['/v1/responses', 11, 7],
        );
        assert.deepEqual([row.usage_reported, row.status, row.attempts], [true, 200, 1]);
      });

      it(`runs tools turn by turn, sending back the output items, by ${way}`, async () => {
        await using session = await startSaying(spoken, ({ body }) => loop(resultsIn(body)));
        const input: ResponseInputItem[] = [{ role: 'user', content: 'Hi' }];
        const inputs: unknown[] = [];
        for (;;) {
          const body = { ...asked, input: [...input] };
          const { output, output_text: text } = await ways[way](session.client, body);
          const made = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
          if (made.length === 0) {
            assert.equal(text, 'All is well');
            break;
          }
          inputs.push(...made.map((call) => JSON.parse(call.arguments)));
          input.push(...sentBack(output), ...made.map(({ call_id }) => resultOf(call_id)));
        }
        assert.deepEqual(
          inputs,
          cities.map((city) => ({ city })),
        );
      });

      it(`returns tools of a namespace and custom tools under their names, by ${way}`, async () => {
        const made = [
          { id: 'call_1', name: 'crm__find', input: { id: 7 } },
          { id: 'call_2', name: 'patch', input: { input: '*** Begin' } },
        ];
        await using session = await startSaying(spoken, () => ({ calls: made }));
        const { output } = await ways[way](session.client, {
          ...asked,
          tools: [
            {
              type: 'namespace',
              name: 'crm',
              description: 'customers',
              tools: [{ type: 'function', name: 'find', parameters: { type: 'object' } }],
            },
            { type: 'custom', name: 'patch', description: 'edits files' },
          ],
        });
        const [found, patched] = output;
        assert.ok(found?.type === 'function_call' && patched?.type === 'custom_tool_call');
        assert.deepEqual(
          [found.namespace, found.name, found.arguments],
          ['crm', 'find', '{"id":7}'],
        );
        assert.deepEqual([patched.name, patched.input], ['patch', '*** Begin']);
      });
    }

    it('counts the events of a stream without a gap, under one id and to one end', async () => {
      await using session = await startSaying(spoken, () => everything);
      const events = await eventsOf(session.client, asked);
      assert.deepEqual(
        events.map(({ sequence_number: number }) => number),
        events.map((_, index) => index),
      );
      const responses = events.flatMap((event) => ('response' in event ? [event.response] : []));
      assert.equal(new Set(responses.map(({ id }) => id)).size, 1);
      assert.deepEqual(
        responses.map(({ status }) => status),
        ['in_progress', 'in_progress', 'completed'],
      );
      assert.equal(events.at(-1)?.type, 'response.completed');
      for (const [type, text] of [
        ['response.reasoning_summary_text.delta', 'hm'],
        ['response.output_text.delta', 'Let me see.'],
        [
          'response.function_call_arguments.delta',
          calls.map((one) => JSON.stringify(one.input)).join(''),
        ],
      ]) {
        const pieces = events.flatMap((event) =>
          event.type === type && 'delta' in event && typeof event.delta === 'string'
            ? [event.delta]
            : [],
        );
        assert.equal(pieces.join(''), text, type);
      }
    });

    it('refuses stored state with the name of its field', async () => {
      await using session = await startSaying(spoken, () => everything);
      const stored: readonly (readonly [string, Partial<Asked>])[] = [
        ['previous_response_id', { previous_response_id: 'resp_1' }],
        ['conversation', { conversation: 'conv_1' }],
        ['input[0].type', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
      ];
      for (const [param, more] of stored) {
        const refused = await session.client.responses
          .create({ ...asked, ...more })
          .catch((e) => e);
        assert.ok(refused instanceof APIError);
        assert.deepEqual([refused.status, refused.param], [400, param]);
      }
    });

    it('refuses tools that only their vendor runs, by name and without a retry', async () => {
      await using session = await startSaying(spoken, () => everything);
      const tools: Asked['tools'] = [{ type: 'web_search' }];
      const refused = await session.client.responses.create({ ...asked, tools }).catch((e) => e);
      assert.ok(refused instanceof APIError);
      assert.match(
        refused.message,
        new RegExp(`protocol ${spoken} does not support tools of type web_search`),
      );
      assert.deepEqual([refused.status, refused.param], [501, 'tools[0].type']);
    });

    it('reports an error of the backend with its status', async () => {
      const vendor = vendors.find((one) => one.protocol === spoken);
      const failing =
        vendor === undefined
          ? answerJson({ error: { message: 'no', type: 'some_error' } }, 400)
          : answerFailed(vendor, 400);
      await using session = await start(failing, spoken);
      const refused = await session.client.responses.create(asked).catch((e) => e);
      assert.ok(refused instanceof APIError);
      assert.equal(refused.status, 400);
    });
  });
}
