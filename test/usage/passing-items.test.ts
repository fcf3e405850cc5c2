// Tests that items of an answer are counted however its bytes arrive, and that texts of a model and
// of a client are not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { PassingItems } from '../../src/usage/passing-items.ts';
import type { ItemKind } from '../../src/usage/passing-items.ts';

type Answer = Readonly<{ kind: ItemKind; isStream: boolean; text: string }>;

function countsOf({ kind, isStream, text }: Answer, sizes: readonly number[] = []) {
  const items = new PassingItems(kind, isStream);
  const bytes = Buffer.from(text);
  let at = 0;
  for (const size of sizes) {
    items.push(bytes.subarray(at, at + size));
    at += size;
  }
  if (at < bytes.length) items.push(bytes.subarray(at));
  return items.counts();
}

const search = { id: 'ws_1', type: 'web_search_call', status: 'completed' };
const searched = { ...search, action: { type: 'search', query: 'a', sources: [{ url: 'b' }] } };
const opened = { ...search, action: { type: 'open_page', url: 'https://example.com' } };
const files = { id: 'fs_1', type: 'file_search_call', status: 'completed', queries: ['q'] };
const code = (text: string) => ({
  id: 'ci_1',
  type: 'code_interpreter_call',
  status: 'completed',
  code: text,
  container_id: 'cntr_1',
});
const painted = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'AAAA' };
const called = { id: 'fc_1', type: 'function_call', name: 'f', arguments: '{}' };
const said = {
  id: 'msg_1',
  type: 'message',
  content: [{ type: 'output_text', text: '{"type":"web_search_call"} event: response.completed' }],
};

const responseOf = (output: readonly object[]) => ({
  object: 'response',
  status: 'completed',
  output,
  tools: [{ type: 'web_search' }],
  usage: { input_tokens: 1, output_tokens: 2 },
});

const frame = (event: Readonly<{ type: string; response?: object }>): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** OpenAI streams each item when it begins and ends, and all of them in the last event. */
const streamOf = (output: readonly object[], last = 'response.completed'): string =>
  [
    { type: 'response.created', response: responseOf([]) },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.web_search_call.completed', output_index },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: last, response: responseOf(output) },
  ]
    .map(frame)
    .join('');

const output = [
  searched,
  opened,
  searched,
  { ...searched, status: 'failed' },
  files,
  code('1'),
  code('2'),
  painted,
  called,
  said,
];
const counted = {
  units: { output_images: 1 },
  serverToolCalls: { web_search: 2, file_search: 1, code_interpreter: 1, image_generation: 1 },
};
const whole: Answer = {
  kind: 'response',
  isStream: false,
  text: JSON.stringify(responseOf(output)),
};
const stream: Answer = { kind: 'response', isStream: true, text: streamOf(output) };

describe('the calls of tools in a Responses answer', () => {
  it('are counted in a whole answer, with spaces or without', () => {
    assert.deepEqual(countsOf(whole), counted);
    const text = JSON.stringify(responseOf(output), null, 2);
    assert.deepEqual(countsOf({ ...whole, text }), counted);
  });

  it('are counted once in a stream, which repeats them', () => {
    assert.deepEqual(countsOf(stream), counted);
    const text = streamOf(output, 'response.incomplete');
    assert.deepEqual(countsOf({ ...stream, text }), counted);
    const unnamed = stream.text.replaceAll(/^event: .*\n/gm, '');
    assert.deepEqual(countsOf({ ...stream, text: unnamed }), counted);
  });

  it('are unknown if the stream ends early', () => {
    const text = stream.text.slice(0, stream.text.lastIndexOf('\nevent: '));
    assert.equal(countsOf({ ...stream, text }), null);
  });

  it('are null if there is none', () => {
    assert.equal(countsOf({ ...stream, text: streamOf([called, said]) }), null);
    const text = JSON.stringify(responseOf([said]));
    assert.equal(countsOf({ ...whole, text }), null);
  });

  it('cannot be hidden by what a client sends', () => {
    const echo = {
      ...responseOf([searched]),
      metadata: { type: 'response.completed', a: 'event: response.completed' },
      instructions: '\ndata: {"type":"response.completed"',
    };
    const text = frame({ type: 'response.completed', response: echo });
    assert.deepEqual(countsOf({ ...stream, text }), {
      units: null,
      serverToolCalls: { web_search: 1 },
    });
  });
});

const png = 'A'.repeat(20_000);
const images: Answer = {
  kind: 'images',
  isStream: false,
  text: JSON.stringify({
    created: 1,
    data: [
      { b64_json: png, revised_prompt: '"b64_json":"x"' },
      { b64_json: null, url: 'https://example.com/a.png' },
    ],
  }),
};
const imageStream: Answer = {
  kind: 'images',
  isStream: true,
  text: [
    { type: 'image_generation.partial_image', b64_json: png },
    { type: 'image_generation.completed', b64_json: png, usage: {} },
  ]
    .map(frame)
    .join(''),
};
const chat: Answer = {
  kind: 'chat_images',
  isStream: false,
  text: JSON.stringify({
    choices: [
      {
        message: {
          content: '"image_url":{',
          images: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
      },
    ],
  }),
};

describe('generated images', () => {
  it('are counted in an answer of images', () =>
    assert.deepEqual(countsOf(images)?.units, { output_images: 2 }));

  it('are counted in a stream without its partial images', () =>
    assert.deepEqual(countsOf(imageStream)?.units, { output_images: 1 }));

  it('are counted in a chat', () => assert.deepEqual(countsOf(chat)?.units, { output_images: 2 }));
});

it('the count does not depend on how the bytes arrive', () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2000 })),
    {
      maxLength: 400,
    },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(whole, stream, images, imageStream, chat),
      sizes,
      (answer, cuts) => {
        assert.deepEqual(countsOf(answer, cuts), countsOf(answer));
      },
    ),
  );
  for (const answer of [whole, stream]) {
    const single = Array.from({ length: answer.text.length }, () => 1);
    assert.deepEqual(countsOf(answer, single), countsOf(answer));
  }
});
