// Tests that items of an answer are counted however its bytes arrive, and that texts of a model and
// of a client are not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { PassingItems } from '../../../src/gateway/usage/passing-items.ts';
import type { ItemKind } from '../../../src/gateway/usage/passing-items.ts';

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

const frame = (event: Readonly<{ type: string; [member: string]: unknown }>): string =>
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

const searches = (count: number) => ({ units: null, serverToolCalls: { web_search: count } });

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
    const failed = streamOf(output, 'response.failed');
    assert.deepEqual(countsOf({ ...stream, text: failed }), counted);
    const unnamed = stream.text.replaceAll(/^event: .*\n/gm, '');
    assert.deepEqual(countsOf({ ...stream, text: unnamed }), counted);
  });

  it('are those of the last event, or else those of the items that ended', () => {
    const done = frame({ type: 'response.output_item.done', item: searched });
    const last = (items: readonly object[]) =>
      frame({ type: 'response.completed', response: responseOf(items) });
    assert.deepEqual(countsOf({ ...stream, text: done + done + last([]) }), searches(2));
    assert.deepEqual(countsOf({ ...stream, text: done + last([searched, searched]) }), searches(2));
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

  it('are not counted where an answer repeats the request', () => {
    const echo = {
      metadata: search,
      ...responseOf([searched]),
      tools: [
        { type: 'function', name: 'f', parameters: { default: searched, output: [painted] } },
      ],
      text: { format: { type: 'json_schema', schema: { enum: [files] } } },
    };
    const once = { units: null, serverToolCalls: { web_search: 1 } };
    assert.deepEqual(countsOf({ ...whole, text: JSON.stringify(echo) }), once);
    const text = [
      { type: 'response.created', response: echo },
      { type: 'response.output_item.done', item: searched },
      { type: 'response.completed', response: echo },
    ].map(frame);
    assert.deepEqual(countsOf({ ...stream, text: text.join('') }), once);
  });

  it('cannot be hidden by what a client sends', () => {
    const echo = {
      ...responseOf([searched]),
      metadata: { type: 'response.completed', a: 'event: response.completed' },
      instructions: '\ndata: {"type":"response.completed"',
    };
    const done = { type: 'response.output_item.done', item: { ...searched, note: 'event: x\n\n' } };
    const text = [done, { type: 'response.completed', response: echo }].map(frame).join('');
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

const sizes = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2000 })),
  { maxLength: 400 },
);

/** Values that look like items of an answer, and others. */
const echoed = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(searched, painted, files, search.type, 'response.completed'),
    fc.constantFrom<unknown>(null, 7, true, '"output":[{"type":"web_search_call"}]', '\\"', '\n\n'),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom('output', 'item', 'type', 'action', 'status', 'response', '__proto__'),
        fc.string({ unit: 'grapheme', maxLength: 9 }),
      ),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
})).value;

const members = (names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, echoed])), { requiredKeys: [] });

/** Items of an answer with anything in the members that do not matter. */
const items = fc.array(
  fc
    .tuple(fc.constantFrom<object>(...output), members(['content', 'results', 'arguments', 'id']))
    .map(([item, more]): object => Object.assign({}, more, item)),
  { maxLength: 6 },
);

type Called = Readonly<{ type?: unknown; status?: unknown; action?: { type?: unknown } }>;

/** The counts of these items, which are read as a whole. */
function expectedOf(called: readonly Called[]) {
  const isSearch = ({ action }: Called) => (action?.type ?? 'search') === 'search';
  const billed = called.filter((one) => one.status !== 'failed' && isSearch(one));
  const tools = ['web_search', 'file_search', 'code_interpreter', 'image_generation'] as const;
  const counts = tools.flatMap((tool): [string, number][] => {
    const { length } = billed.filter(({ type }) => type === `${tool}_call`);
    return length === 0 ? [] : [[tool, tool === 'code_interpreter' ? 1 : length]];
  });
  if (counts.length === 0) return null;
  const images = Object.fromEntries(counts)['image_generation'];
  return {
    units: images === undefined ? null : { output_images: images },
    serverToolCalls: Object.fromEntries(counts),
  };
}

const before = members(['metadata', 'instructions', 'tools', 'error']);
const after = members(['text', 'user', 'input', 'reasoning']);
const spacing = fc.constantFrom(0, 2, '\t');

describe('whatever else an answer has', () => {
  it('the calls are those of its output', () =>
    fc.assert(
      fc.property(items, before, after, spacing, sizes, (output, first, last, space, cuts) => {
        const text = JSON.stringify({ ...first, output, ...last }, null, space);
        const parsed: { output: Called[] } = JSON.parse(text);
        assert.deepEqual(
          countsOf({ kind: 'response', isStream: false, text }, cuts),
          expectedOf(parsed.output),
        );
      }),
    ));

  it('the calls are those of the items whose event ends them', () =>
    fc.assert(
      fc.property(
        items,
        before,
        after,
        fc.boolean(),
        sizes,
        (output, first, last, isLast, cuts) => {
          const others = [
            { type: 'response.created', ...first },
            { ...last, type: 'x', item: files },
          ];
          const ended = output.map((item) => {
            const type = 'response.output_item.done';
            return isLast ? { item, ...last, type } : { type, ...first, item };
          });
          const response = { ...first, ...(isLast && { output }), ...last };
          const end = { type: 'response.completed', response };
          const frames = [...others, ...ended, end].map((event) => frame(event));
          const text = frames
            .join(isLast ? ': comment\n\n' : '')
            .replaceAll('\n', isLast ? '\n' : '\r\n');
          assert.deepEqual(
            countsOf({ kind: 'response', isStream: true, text }, cuts),
            expectedOf(output),
          );
        },
      ),
    ));
});

it('the count does not depend on how the bytes arrive', () => {
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
