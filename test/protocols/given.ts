// Translates a chat to a backend's request, and the backend's answers to what the client receives.

import assert from 'node:assert/strict';

import type { Protocol } from '../../src/lib/vocabulary.ts';
import { isObject, textOf } from '../../src/protocols/json.ts';
import { readChat } from '../../src/protocols/read-chat.ts';
import { isProtocolRefusal } from '../../src/protocols/refusal.ts';
import type { ProtocolRefusal } from '../../src/protocols/refusal.ts';
import type {
  ChatTranslation,
  TranslatedRequest,
  TranslatedStream,
} from '../../src/protocols/translation.ts';

type Asked = Readonly<Record<string, unknown>>;
type Sent = Readonly<{ model?: string; defaultMaxTokens?: number | null; basePath?: string }>;
type Told = Readonly<{ includesUsage?: boolean; singleToolCall?: boolean }>;

export const user = (content: unknown) => ({ role: 'user', content });
export const text = (said: string) => ({ type: 'text', text: said });

export function object(value: unknown): Asked {
  assert.ok(isObject(value));
  return value;
}

/** `asked` is the model name in an answer if the vendor does not return one. */
export function given(
  protocol: Protocol,
  translation: ChatTranslation,
  { upstream, asked }: Readonly<{ upstream: string; asked: string }>,
) {
  const answerOptions = { requestId: 'request-1', model: asked, created: 1_700_000_000 };

  /** `chat` holds the members in addition to one short message and an output limit. */
  function translate(
    chat: Asked,
    { model = upstream, defaultMaxTokens = null, basePath = '' }: Sent = {},
  ): TranslatedRequest | ProtocolRefusal {
    const whole = { model: 'house', messages: [user('Hi')], max_tokens: 100, ...chat };
    const read = readChat(Buffer.from(JSON.stringify(whole)), protocol);
    if (isProtocolRefusal(read)) return read;
    return translation.translateRequest(read, model, { basePath, defaultMaxTokens });
  }

  /** The body that is sent upstream. */
  function sent(chat: Asked, options: Sent = {}) {
    const request = translate(chat, options);
    assert.ok('body' in request, JSON.stringify(request));
    return object(JSON.parse(request.body.toString()));
  }

  function refused(chat: Asked, options: Sent = {}) {
    const request = translate(chat, options);
    assert.ok('refused' in request, 'the request was translated');
    return request;
  }

  function answered(status: number, body: unknown, { singleToolCall = false }: Told = {}) {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const options = { ...answerOptions, singleToolCall };
    const answer = translation.translateResponse(status, bytes, options);
    return { ...answer, body: object(JSON.parse(answer.body.toString())) };
  }

  /** The chunks that a client receives, as values. The end marker is a value too. */
  function streamed(
    pieces: readonly Buffer[],
    { includesUsage = false, singleToolCall = false }: Told = {},
  ) {
    const stream = translation.openStream({ ...answerOptions, includesUsage, singleToolCall });
    const bytes = Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]);
    return { bytes, chunks: chunksOf(bytes), ...ending(stream) };
  }

  return { translate, sent, refused, answered, streamed };
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

/** The message that the chunks add up to, accumulated as a chat client does. */
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
