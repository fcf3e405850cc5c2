// What a backend of protocol anthropic is sent for a chat, and what a client is told of its answers.

import assert from 'node:assert/strict';

import { anthropic } from '../../../src/protocols/anthropic/anthropic.ts';
import { isObject, textOf } from '../../../src/protocols/json.ts';
import { readChat } from '../../../src/protocols/read-chat.ts';
import { isProtocolRefusal } from '../../../src/protocols/refusal.ts';
import type { ProtocolRefusal } from '../../../src/protocols/refusal.ts';
import type { TranslatedRequest, TranslatedStream } from '../../../src/protocols/translation.ts';

type Sent = Readonly<{ model?: string; defaultMaxTokens?: number | null; basePath?: string }>;

export const user = (content: unknown) => ({ role: 'user', content });
export const text = (said: string) => ({ type: 'text', text: said });

/** `chat` is what it says beside one short message and a cap on the answer. */
export function translate(
  chat: Readonly<Record<string, unknown>>,
  { model = 'claude-opus-4-8', defaultMaxTokens = null, basePath = '' }: Sent = {},
): TranslatedRequest | ProtocolRefusal {
  const whole = { model: 'house', messages: [user('Hi')], max_tokens: 100, ...chat };
  const read = readChat(Buffer.from(JSON.stringify(whole)), 'anthropic');
  if (isProtocolRefusal(read)) return read;
  return anthropic.translateRequest(read, model, { basePath, defaultMaxTokens });
}

/** The body that is sent upstream. */
export function sent(chat: Readonly<Record<string, unknown>>, options: Sent = {}) {
  const request = translate(chat, options);
  assert.ok('body' in request, JSON.stringify(request));
  return object(JSON.parse(request.body.toString()));
}

export function refused(chat: Readonly<Record<string, unknown>>, options: Sent = {}) {
  const request = translate(chat, options);
  assert.ok('refused' in request, 'the request was translated');
  return request;
}

export function object(value: unknown): Readonly<Record<string, unknown>> {
  assert.ok(isObject(value));
  return value;
}

const answerOptions = { requestId: 'request-1', model: 'claude-asked', created: 1_700_000_000 };

export function answered(status: number, body: unknown) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const answer = anthropic.translateResponse(status, bytes, answerOptions);
  return { ...answer, body: object(JSON.parse(answer.body.toString())) };
}

/** The chunks that a client is sent, as values; the mark of the end is a value too. */
export function streamed(pieces: readonly Buffer[], { includesUsage = false } = {}) {
  const stream = anthropic.openStream({ ...answerOptions, includesUsage });
  const bytes = Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]);
  return { bytes, chunks: chunksOf(bytes), ...ending(stream) };
}

const ending = ({ isClean, failedStatus, usage }: TranslatedStream) => ({
  isClean,
  failedStatus,
  usage,
});

function chunksOf(bytes: Buffer): readonly unknown[] {
  const frames = bytes.toString().split('\n\n');
  assert.equal(frames.pop(), '');
  return frames.map((frame) => {
    assert.ok(frame.startsWith('data: '), frame);
    const data = frame.slice('data: '.length);
    return data === '[DONE]' ? data : JSON.parse(data);
  });
}

/** What the chunks add up to, as a client of the chat protocol adds them. */
export function gathered(chunks: readonly unknown[]) {
  const calls: { id: unknown; name: unknown; arguments: string }[] = [];
  const whole = { content: '', reasoning: '', refusal: '', calls, finish: [] as unknown[] };
  for (const chunk of chunks) {
    const [choice] = isObject(chunk) && Array.isArray(chunk['choices']) ? chunk['choices'] : [];
    if (!isObject(choice)) continue;
    const delta = object(choice['delta']);
    whole.content += textOf(delta, 'content') ?? '';
    whole.reasoning += textOf(delta, 'reasoning_content') ?? '';
    whole.refusal += textOf(delta, 'refusal') ?? '';
    if (choice['finish_reason'] !== null) whole.finish.push(choice['finish_reason']);
    for (const call of Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []) {
      const { index, id, function: part } = call;
      calls[index] ??= { id, name: part.name, arguments: '' };
      calls[index].arguments += part.arguments;
    }
  }
  return whole;
}
