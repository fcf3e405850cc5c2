// Writes the same answer in each protocol, as a body or a stream, so that tests can check that
// clients receive the same from every backend.

import type { Protocol } from '../../../src/lib/vocabulary.ts';
import * as anthropic from '../../protocols/anthropic/events.ts';
import * as gemini from '../../protocols/gemini/events.ts';
import { callPiece, chunk, completion, done, framesOf } from '../../protocols/messages/given.ts';
import { answerJson } from './upstream.ts';
import type { Script, SeenRequest } from './upstream.ts';
import { answerEvents } from './vendors.ts';

type Call = Readonly<{ id: string; name: string; input: object }>;

/** Contains a text, calls or both. No protocol allows neither. */
export type ScriptedAnswer = Readonly<{
  thinking?: string;
  text?: string;
  calls?: readonly Call[];
}>;

/** Every answer reports 11 input tokens, 8 of them cached, and 7 output tokens. */
const chatUsage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 8 },
};
const prompt = { input_tokens: 3, cache_read_input_tokens: 8, cache_creation_input_tokens: 0 };
const geminiUsage = {
  promptTokenCount: 11,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 7,
};

/** The answer may depend on the request. */
export const answerInProtocol =
  (protocol: Protocol, answerTo: (request: SeenRequest) => ScriptedAnswer): Script =>
  (request, response) => {
    const answer = answerTo(request);
    const isStream =
      request.body.includes('"stream":true') || request.path.includes(':streamGenerateContent');
    const { whole, stream } = answers[protocol];
    (isStream ? answerEvents(stream(answer)) : answerJson(whole(answer)))(request, response);
  };

type Answers = Readonly<{
  whole: (answer: ScriptedAnswer) => object;
  stream: (answer: ScriptedAnswer) => Buffer;
}>;

const isCalling = ({ calls = [] }: ScriptedAnswer): boolean => calls.length > 0;
/** Arguments arrive in two pieces, split anywhere. */
const piecesOf = ({ input }: Call): readonly [string, string] => {
  const text = JSON.stringify(input);
  return [text.slice(0, 5), text.slice(5)];
};

const chatFinish = (answer: ScriptedAnswer): string => (isCalling(answer) ? 'tool_calls' : 'stop');
const stopReason = (answer: ScriptedAnswer): string =>
  isCalling(answer) ? 'tool_use' : 'end_turn';

const answers: Readonly<Record<Protocol, Answers>> = {
  openai: {
    whole: (answer) => {
      const { thinking, text, calls = [] } = answer;
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      }));
      const message = {
        content: text ?? null,
        ...(thinking !== undefined && { reasoning: thinking }),
        ...(tool_calls.length > 0 && { tool_calls }),
      };
      return completion(message, { finish_reason: chatFinish(answer) }, { usage: chatUsage });
    },
    stream: (answer) => {
      const { thinking, text, calls = [] } = answer;
      return framesOf(
        ...(thinking === undefined ? [] : [chunk({ reasoning: thinking })]),
        ...(text === undefined ? [] : [chunk({ content: text })]),
        ...calls.flatMap((call, index) => {
          const [first, second] = piecesOf(call);
          return [chunk(callPiece(index, first, call)), chunk(callPiece(index, second))];
        }),
        { ...chunk({}, chatFinish(answer)), usage: chatUsage },
        done,
      );
    },
  },
  anthropic: {
    whole: (answer) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        ...(answer.thinking === undefined
          ? []
          : [{ type: 'thinking', thinking: answer.thinking, signature: 'EoQDCm0IDhgC' }]),
        ...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]),
        ...(answer.calls ?? []).map(({ id, name, input }) => ({
          type: 'tool_use',
          id,
          name,
          input,
        })),
      ],
      stop_reason: stopReason(answer),
      stop_sequence: null,
      usage: { ...prompt, output_tokens: 7 },
    }),
    stream: (answer) => {
      const { thinking, text, calls = [] } = answer;
      const before = [thinking, text].filter((one) => one !== undefined).length;
      return anthropic.bytesOf(
        anthropic.start({ ...prompt, output_tokens: 1 }),
        ...(thinking === undefined ? [] : anthropic.thought(0, thinking)),
        ...(text === undefined ? [] : anthropic.textBlock(before - 1, text)),
        ...calls.flatMap((call, index) =>
          anthropic.called(before + index, [call.id, call.name], ...piecesOf(call)),
        ),
        ...anthropic.ended(stopReason(answer), { output_tokens: 7 }),
      );
    },
  },
  gemini: {
    whole: (answer) => gemini.answer(geminiParts(answer), gemini.stopped, geminiUsage),
    stream: (answer) =>
      gemini.bytesOf(
        ...geminiParts(answer).map((part) => gemini.answer([part])),
        gemini.answer([gemini.textPart('')], gemini.stopped, geminiUsage),
      ),
  },
};

const geminiParts = ({ thinking, text, calls = [] }: ScriptedAnswer) => [
  ...(thinking === undefined ? [] : [gemini.thought(thinking)]),
  ...(text === undefined ? [] : [gemini.textPart(text)]),
  ...calls.map(({ id, name, input }) => gemini.called(name, input, { id })),
];
