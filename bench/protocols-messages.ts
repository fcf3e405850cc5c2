// The part of `bench/protocols.ts` for clients of the Messages API: a request translated to a chat, an answer of 4 KB
// translated to a message, and one event of each kind of stream.

import { messagesAsTheyAre, messagesOfChat } from '../src/protocols/messages/messages.ts';
import { readMessagesRequest } from '../src/protocols/messages/read-request.ts';
import { writeChat } from '../src/protocols/openai/write-chat.ts';
import type { AnswerTranslation, StreamOptions } from '../src/protocols/translation.ts';

export type Measured = Readonly<{
  what: string;
  boundMicros: number | null;
  perRun: number;
  run: () => void;
}>;

const sentence = 'The quick brown fox jumps over the lazy dog, and says “why”. ';
const told = { requestId: 'request-1', model: 'house', stopSequences: () => [] };

const request = {
  model: 'house',
  max_tokens: 1000,
  system: sentence.repeat(10),
  tools: Array.from({ length: 4 }, (_, index) => ({
    name: `tool_${index}`,
    description: sentence.repeat(2),
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  })),
  messages: Array.from({ length: 9 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: sentence.repeat(3) }],
  })),
};

const calls = [
  {
    id: 'call_1',
    type: 'function',
    function: { name: 'tool_1', arguments: JSON.stringify({ list: Array(60).fill('word') }) },
  },
];
const answer = {
  id: 'chatcmpl-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: sentence.repeat(50), tool_calls: calls },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 900, completion_tokens: 700 },
};

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'up' };
const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const chunks = [
  ...Array.from({ length: 198 }, () => frame({ content: ' quick brown fox' })),
  frame({}, 'stop'),
  'data: [DONE]\n\n',
];

/** `events` are those of a backend of the Messages API. */
export function measuredOfMessages(
  events: readonly string[],
  options: StreamOptions,
): readonly Measured[] {
  const body = Buffer.from(JSON.stringify(request));
  const whole = Buffer.from(JSON.stringify(answer));
  const chat = messagesOfChat(told);
  return [
    {
      what: `messages: request of ${body.length} bytes`,
      boundMicros: null,
      perRun: 1,
      run: () => {
        const read = readMessagesRequest(body, 'openai');
        if ('refused' in read) throw new Error(read.message);
        writeChat(read, 'up');
      },
    },
    {
      what: `messages: answer of ${whole.length} bytes`,
      boundMicros: 60,
      perRun: 1,
      run: () => void chat.translateResponse(200, whole, options),
    },
    streamed('messages: event of a chat', chat, chunks, options),
    streamed('messages: event passed on', messagesAsTheyAre(told), events, options),
  ];
}

function streamed(
  what: string,
  translation: AnswerTranslation,
  texts: readonly string[],
  options: StreamOptions,
): Measured {
  const pieces = texts.map((text) => Buffer.from(text));
  const run = (): void => {
    const stream = translation.openStream(options);
    for (const piece of pieces) stream.push(piece);
    stream.end();
    if (!stream.isClean) throw new Error('the stream was not clean');
  };
  return { what, boundMicros: 5, perRun: pieces.length, run };
}
