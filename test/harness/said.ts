// One answer in the words of each protocol, whole or as a stream, as the request asks for it: so that tests can
// hold that a client hears the same whichever backend serves it.

import type { Protocol } from '../../src/lib/vocabulary.ts';
import * as anthropic from '../protocols/anthropic/events.ts';
import * as gemini from '../protocols/gemini/events.ts';
import { callPiece, chunk, completion, done, framesOf } from '../protocols/messages/given.ts';
import { answerJson } from './upstream.ts';
import type { Script, SeenRequest } from './upstream.ts';
import { answerEvents } from './vendors.ts';

type Call = Readonly<{ id: string; name: string; input: object }>;

/** An answer that says nothing is the end of nothing: there is a text, or there are calls. */
export type Said = Readonly<{ thinking?: string; text?: string; calls?: readonly Call[] }>;

/** Every answer was asked with 11 tokens, of which 8 came from a cache, and takes 7. */
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

/** What is said may depend on the request. */
export const answerSaid =
  (protocol: Protocol, saidTo: (request: SeenRequest) => Said): Script =>
  (request, response) => {
    const said = saidTo(request);
    const isStream =
      request.body.includes('"stream":true') || request.path.includes(':streamGenerateContent');
    const { whole, stream } = answers[protocol];
    (isStream ? answerEvents(stream(said)) : answerJson(whole(said)))(request, response);
  };

type Answers = Readonly<{ whole: (said: Said) => object; stream: (said: Said) => Buffer }>;

const isCalling = ({ calls = [] }: Said): boolean => calls.length > 0;
/** Arguments come in two pieces, cut anywhere. */
const piecesOf = ({ input }: Call): readonly [string, string] => {
  const text = JSON.stringify(input);
  return [text.slice(0, 5), text.slice(5)];
};

const chatFinish = (said: Said): string => (isCalling(said) ? 'tool_calls' : 'stop');
const stopReason = (said: Said): string => (isCalling(said) ? 'tool_use' : 'end_turn');

const answers: Readonly<Record<Protocol, Answers>> = {
  openai: {
    whole: (said) => {
      const { thinking, text, calls = [] } = said;
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
      return completion(message, { finish_reason: chatFinish(said) }, { usage: chatUsage });
    },
    stream: (said) => {
      const { thinking, text, calls = [] } = said;
      return framesOf(
        ...(thinking === undefined ? [] : [chunk({ reasoning: thinking })]),
        ...(text === undefined ? [] : [chunk({ content: text })]),
        ...calls.flatMap((call, index) => {
          const [first, second] = piecesOf(call);
          return [chunk(callPiece(index, first, call)), chunk(callPiece(index, second))];
        }),
        { ...chunk({}, chatFinish(said)), usage: chatUsage },
        done,
      );
    },
  },
  anthropic: {
    whole: (said) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        ...(said.thinking === undefined
          ? []
          : [{ type: 'thinking', thinking: said.thinking, signature: 'EoQDCm0IDhgC' }]),
        ...(said.text === undefined ? [] : [{ type: 'text', text: said.text }]),
        ...(said.calls ?? []).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
      ],
      stop_reason: stopReason(said),
      stop_sequence: null,
      usage: { ...prompt, output_tokens: 7 },
    }),
    stream: (said) => {
      const { thinking, text, calls = [] } = said;
      const before = [thinking, text].filter((one) => one !== undefined).length;
      return anthropic.bytesOf(
        anthropic.start({ ...prompt, output_tokens: 1 }),
        ...(thinking === undefined ? [] : anthropic.thought(0, thinking)),
        ...(text === undefined ? [] : anthropic.said(before - 1, text)),
        ...calls.flatMap((call, index) =>
          anthropic.called(before + index, [call.id, call.name], ...piecesOf(call)),
        ),
        ...anthropic.ended(stopReason(said), { output_tokens: 7 }),
      );
    },
  },
  gemini: {
    whole: (said) => gemini.answer(geminiParts(said), gemini.stopped, geminiUsage),
    stream: (said) =>
      gemini.bytesOf(
        ...geminiParts(said).map((part) => gemini.answer([part])),
        gemini.answer([gemini.said('')], gemini.stopped, geminiUsage),
      ),
  },
};

const geminiParts = ({ thinking, text, calls = [] }: Said) => [
  ...(thinking === undefined ? [] : [gemini.thought(thinking)]),
  ...(text === undefined ? [] : [gemini.said(text)]),
  ...calls.map(({ id, name, input }) => gemini.called(name, input, { id })),
];
