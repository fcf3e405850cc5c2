// Translates requests of the Messages API to chat requests, and answers of chat backends to the
// Messages API.

import assert from 'node:assert/strict';

import { isObject, parseJson } from '../../../src/protocols/json.ts';
import type { JsonObject } from '../../../src/protocols/json.ts';
import { readMessagesRequest } from '../../../src/protocols/messages/read-request.ts';
import { messageAnswer } from '../../../src/protocols/messages/response.ts';
import type { MessageOptions } from '../../../src/protocols/messages/response.ts';
import { openMessageStream } from '../../../src/protocols/messages/stream.ts';
import { writeChat } from '../../../src/protocols/openai/write-chat.ts';
import { isProtocolRefusal } from '../../../src/protocols/refusal.ts';
import type { TranslatedStream } from '../../../src/protocols/translation.ts';
import { object, user } from '../given.ts';

export const options: MessageOptions = {
  requestId: 'request-1',
  model: 'house',
  stopSequences: () => ['END'],
};

/** `asked` holds the members in addition to one short message and an output limit. */
const whole = (asked: JsonObject) => ({
  model: 'house',
  max_tokens: 100,
  messages: [user('Hi')],
  ...asked,
});

export const bytesOf = (value: unknown): Buffer =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** The chat completion request that is sent upstream. */
export function sent(asked: JsonObject, model = 'up'): JsonObject {
  const chat = readMessagesRequest(bytesOf(whole(asked)), 'openai');
  assert.ok(!isProtocolRefusal(chat), JSON.stringify(chat));
  const body = writeChat(chat, model);
  assert.ok(Buffer.isBuffer(body), JSON.stringify(body));
  return object(parseJson(body.toString()));
}

export const sentMessages = (...messages: readonly JsonObject[]) => sent({ messages })['messages'];

export function refused(asked: JsonObject) {
  const chat = readMessagesRequest(bytesOf(whole(asked)), 'openai');
  if (isProtocolRefusal(chat)) return chat;
  const body = writeChat(chat, 'up');
  assert.ok(!Buffer.isBuffer(body), 'the request was translated');
  return body;
}

export function answered(status: number, body: unknown) {
  const answer = messageAnswer(status, bytesOf(body), options);
  return { ...answer, body: object(parseJson(answer.body.toString())) };
}

export function streamed(pieces: readonly Buffer[]) {
  return told(openMessageStream(options), pieces);
}

export const through = (stream: TranslatedStream, pieces: readonly Buffer[]): Buffer =>
  Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]);

export function told(stream: TranslatedStream, pieces: readonly Buffer[]) {
  const bytes = through(stream, pieces);
  const { isClean, failedStatus, failedBody, usage } = stream;
  return { bytes, events: eventsOf(bytes), isClean, failedStatus, failedBody, usage };
}

/** Each event is named, and its data repeats the name. */
function eventsOf(bytes: Buffer): readonly JsonObject[] {
  const frames = bytes.toString().split('\n\n');
  assert.equal(frames.pop(), '');
  return frames.map((frame) => {
    const [, name, data] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(frame) ?? [];
    const event = object(parseJson(data ?? ''));
    assert.equal(event['type'], name, frame);
    return event;
  });
}

type Gathered = { blocks: Record<string, unknown>[]; end: JsonObject | null; error: unknown };

/**
 * The message that the events add up to. Checks that one block is open at a time, indexes increase,
 * and nothing follows the end.
 */
export function gathered(events: readonly JsonObject[]): Gathered {
  const whole: Gathered = { blocks: [], end: null, error: null };
  let open: Record<string, unknown> | null = null;
  for (const event of events) {
    assert.equal(whole.error, null, 'an event after the error');
    switch (event['type']) {
      case 'content_block_start':
        assert.equal(open, null, 'two blocks are open');
        assert.equal(event['index'], whole.blocks.length);
        open = { ...object(event['content_block']) };
        if (open['type'] === 'tool_use') open['input'] = '';
        whole.blocks.push(open);
        break;
      case 'content_block_delta':
        assert.ok(open !== null && event['index'] === whole.blocks.length - 1);
        add(open, object(event['delta']));
        break;
      case 'content_block_stop':
        assert.ok(open !== null && event['index'] === whole.blocks.length - 1);
        open = null;
        break;
      case 'message_delta':
        assert.equal(open, null, 'a block is open at the end');
        whole.end = event;
        break;
      case 'error':
        whole.error = event['error'];
        break;
      default:
    }
  }
  return whole;
}

const members: Readonly<Record<string, readonly [from: string, to: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['partial_json', 'input'],
};

function add(block: Record<string, unknown>, delta: JsonObject): void {
  const [from, to] = members[String(delta['type'])] ?? ['', ''];
  block[to] = `${String(block[to])}${String(delta[from])}`;
}

export const isOfType =
  (type: string) =>
  (event: unknown): boolean =>
    isObject(event) && event['type'] === type;

export const completion = (
  message: JsonObject,
  choice: JsonObject = {},
  more: JsonObject = {},
) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'up',
  choices: [
    { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice },
  ],
  ...more,
});

export const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'up',
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});

/** A stream of chat chunks. Text is used as a frame unchanged. */
export const framesOf = (...chunks: readonly (JsonObject | string)[]): Buffer =>
  Buffer.from(
    chunks
      .map((one) => (typeof one === 'string' ? one : `data: ${JSON.stringify(one)}\n\n`))
      .join(''),
  );

export const done = 'data: [DONE]\n\n';

export const callPiece = (
  index: number | undefined,
  text: string,
  { id, name }: Readonly<{ id?: string; name?: string }> = {},
) => ({
  tool_calls: [{ index, id, function: { name, arguments: text } }],
});
