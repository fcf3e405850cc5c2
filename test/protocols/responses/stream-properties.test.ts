// Tests properties of every stream of the Responses API, however its chat is split or damaged.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { anthropic } from '../../../src/protocols/anthropic/anthropic.ts';
import { gemini } from '../../../src/protocols/gemini/gemini.ts';
import { openChatStream } from '../../../src/protocols/openai/chat-stream.ts';
import { ResponseWriter } from '../../../src/protocols/responses/response-writer.ts';
import { responsesOver } from '../../../src/protocols/responses/responses.ts';
import type { ChatTranslation, TranslatedStream } from '../../../src/protocols/translation.ts';
import * as claude from '../anthropic/events.ts';
import * as google from '../gemini/events.ts';
import { everything } from '../messages/everything.ts';
import { cut, replaceValue } from '../stream-properties.ts';
import { lastResponse, options, told } from './given.ts';

const { requestId, model, created } = options;
const streamOptions = { requestId, model, created, singleToolCall: false, includesUsage: true };

const over = (chat: ChatTranslation) => (): TranslatedStream =>
  responsesOver(chat, options).openStream(streamOptions);

const cases: readonly Readonly<{
  name: string;
  open: () => TranslatedStream;
  bytes: Buffer;
  items: readonly string[];
}>[] = [
  {
    name: 'a chat server',
    open: () => openChatStream(new ResponseWriter(options)),
    bytes: everything,
    items: ['reasoning', 'message', 'function_call', 'function_call'],
  },
  {
    name: 'anthropic',
    open: over(anthropic),
    bytes: claude.bytesOf(
      claude.start(),
      ...claude.thought(0, 'Größe ', '考える😀'),
      ...claude.textBlock(1, 'Let me', ' see'),
      ...claude.called(2, ['call_1', 'patch'], '{"input":"a', 'b"}'),
      ...claude.ended('tool_use', { output_tokens: 7 }),
    ),
    items: ['reasoning', 'message', 'custom_tool_call'],
  },
  {
    name: 'gemini',
    open: over(gemini),
    bytes: google.bytesOf(
      google.answer([google.thought('考える')]),
      google.answer([google.signed(google.called('weather', {}, { id: 'call_1' }), 'c2ln')]),
      google.answer([google.called('patch', { input: 'ab' }, { id: 'call_2' })], google.stopped),
    ),
    items: ['reasoning', 'function_call', 'custom_tool_call'],
  },
  {
    name: 'gemini without thoughts',
    open: over(gemini),
    bytes: google.bytesOf(
      google.answer([google.textPart('Let me see')]),
      google.answer([google.signed(google.textPart('.'), 'dGV4dA')]),
      google.answer(
        [google.signed(google.called('weather', {}, { id: 'call_1' }), 'c2ln')],
        google.stopped,
      ),
    ),
    items: ['message', 'reasoning', 'reasoning', 'function_call'],
  },
];

for (const { name, open, bytes: all, items } of cases) {
  describe(`a stream of ${name}`, () => {
    const whole = told(open(), [all]);
    const frames = all.toString().split(/(?<=\n\n)/);

    it('has one item for each kind of content', () => {
      const { output, status } = lastResponse(whole.events);
      assert.ok(Array.isArray(output));
      assert.deepEqual([status, output.map(({ type }) => type)], ['completed', items]);
    });

    it('is the same however it is cut', () => {
      const places = fc.array(fc.nat({ max: all.length }), { maxLength: 60 });
      fc.assert(
        fc.property(places, (at) =>
          assert.ok(told(open(), cut(all, at)).bytes.equals(whole.bytes)),
        ),
        { numRuns: 100 },
      );
    });

    const isWellFormed = (bytes: Buffer): void => {
      const { events, isClean, usage } = told(open(), [bytes]);
      const { status } = lastResponse(events);
      assert.equal(status === 'failed', !isClean);
      if (!isClean) assert.equal(usage, null);
    };

    it('can be read when events are lost, doubled or shuffled', () => {
      const events = fc.array(fc.constantFrom(...frames), { maxLength: 40 });
      fc.assert(
        fc.property(events, (chosen) => isWellFormed(Buffer.from(chosen.join('')))),
        { numRuns: 300 },
      );
    });

    it('can be read when values are of another type', () => {
      const value = fc.constantFrom<unknown>(null, 0, -1, '', 'x', [], {}, true, 1e300, [[]]);
      fc.assert(
        fc.property(fc.nat(), fc.nat(), value, (frame, place, changed) => {
          const at = frame % frames.length;
          const frameChanged = replaceValue(frames[at] ?? '', place, changed);
          isWellFormed(Buffer.from(frames.with(at, frameChanged).join('')));
        }),
        { numRuns: 500 },
      );
    });
  });
}
