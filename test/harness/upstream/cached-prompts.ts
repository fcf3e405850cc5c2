// Defines backends of every protocol that report 100,000 prompt tokens, 99,000 of them from the
// cache of the provider, and 100 completion tokens.

import type { Protocol } from '../../../src/lib/vocabulary.ts';
import * as anthropic from '../../protocols/anthropic/events.ts';
import * as gemini from '../../protocols/gemini/events.ts';
import { completion, chunk, done, framesOf } from '../../protocols/messages/given.ts';
import { answerJson } from './upstream.ts';
import type { Script } from './upstream.ts';
import { answerEvents } from './vendors.ts';

/** The usage in each client's API. */
export const chatUsage = {
  prompt_tokens: 100_000,
  completion_tokens: 100,
  total_tokens: 100_100,
  prompt_tokens_details: { cached_tokens: 99_000 },
  completion_tokens_details: { reasoning_tokens: 40 },
};
export const responseUsage = {
  input_tokens: 100_000,
  input_tokens_details: { cached_tokens: 99_000 },
  output_tokens: 100,
  output_tokens_details: { reasoning_tokens: 40 },
};
export const messageInput = { input_tokens: 1000, cache_read_input_tokens: 99_000 };
export const messageOutput = { output_tokens: 100, output_tokens_details: { thinking_tokens: 40 } };
const metadata = {
  promptTokenCount: 100_000,
  cachedContentTokenCount: 99_000,
  candidatesTokenCount: 60,
  thoughtsTokenCount: 40,
  serviceTier: 'flex',
};

const response = {
  object: 'response',
  status: 'completed',
  service_tier: 'flex',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
  usage: responseUsage,
  metadata: { service_tier: 'priority' },
};
export const chatTier = { service_tier: 'flex' };

type Backend = Readonly<{ protocol: Protocol; whole: Script; stream: Script }>;

export const chatBackend = {
  whole: answerJson(completion({ content: 'Hi' }, {}, { usage: chatUsage, ...chatTier })),
  stream: answerEvents(
    framesOf(
      chunk({ content: 'Hi' }),
      chunk({}, 'stop'),
      { choices: [], ...chatTier, usage: chatUsage },
      done,
    ),
  ),
};

const ofRoute =
  (route: string, script: Script, other: Script): Script =>
  (request, answer) =>
    (request.path.endsWith(route) ? script : other)(request, answer);

const completed = Buffer.from(
  `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response })}\n\n`,
);

export const backends: Readonly<Record<string, Backend>> = {
  openai: {
    protocol: 'openai',
    whole: ofRoute('/responses', answerJson(response), chatBackend.whole),
    stream: ofRoute('/responses', answerEvents(completed), chatBackend.stream),
  },
  'openai without the Responses API': {
    protocol: 'openai',
    whole: ofRoute('/responses', answerJson({}, 405), chatBackend.whole),
    stream: ofRoute('/responses', answerJson({}, 405), chatBackend.stream),
  },
  anthropic: {
    protocol: 'anthropic',
    whole: answerJson({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { ...messageInput, ...messageOutput, ...chatTier },
    }),
    stream: answerEvents(
      anthropic.bytesOf(
        anthropic.start({ ...messageInput, output_tokens: 1, ...chatTier }),
        ...anthropic.textBlock(0, 'Hi'),
        ...anthropic.ended('end_turn', messageOutput),
      ),
    ),
  },
  gemini: {
    protocol: 'gemini',
    whole: answerJson(gemini.answer([gemini.textPart('Hi')], gemini.stopped, metadata)),
    stream: answerEvents(
      gemini.bytesOf(
        gemini.answer([gemini.textPart('H')], {}, { promptTokenCount: 100_000 }),
        gemini.answer([gemini.textPart('i')], gemini.stopped, metadata),
      ),
    ),
  },
};

/** Lists a model in the form of every protocol, and answers requests that stream with a stream. */
export const serving =
  ({ whole, stream }: Backend): Script =>
  (request, answer) => {
    if (request.method === 'GET') return modelList(request, answer);
    const isStream =
      request.path.includes(':streamGenerateContent') ||
      request.body.toString('latin1').includes('"stream":true');
    return (isStream ? stream : whole)(request, answer);
  };

const modelList = answerJson({ data: [{ id: 'up' }], models: [{ name: 'models/up' }] });
