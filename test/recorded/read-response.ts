// Reads a response of the Responses API as its vendor documents it. For a stream, takes the text
// from the deltas and the rest from the last event.

import { z } from 'zod';

import { nothingRead, valuesOf } from './reading.ts';
import type { Reading } from './reading.ts';

const part = z.object({ text: z.string().default(''), refusal: z.string().default('') });

const item = z.object({
  type: z.string(),
  summary: z.array(part).default([]),
  content: z.array(part).default([]),
  name: z.string().default(''),
  arguments: z.string().default('{}'),
});

const response = z.object({
  status: z.string(),
  output: z.array(item),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  usage: z
    .object({
      input_tokens: z.number(),
      input_tokens_details: z.object({ cached_tokens: z.number() }),
      output_tokens: z.number(),
    })
    .nullable(),
});

const event = z.object({
  type: z.string(),
  delta: z.string().default(''),
  response: z.unknown().optional(),
});

export function readResponse(body: string, isStream: boolean): Reading {
  const events = isStream ? z.array(event).parse(valuesOf(body)) : [];
  const read = response.parse(isStream ? events.at(-1)?.response : JSON.parse(body));
  const { output, usage, incomplete_details: incomplete } = read;
  const joined = (type: string, of: (one: z.output<typeof item>) => readonly { text: string }[]) =>
    output
      .flatMap((one) => (one.type === type ? of(one) : []))
      .map(({ text }) => text)
      .join('');
  const text = joined('message', ({ content }) => content);
  const pieces = events.filter(({ type }) => type === 'response.output_text.delta');
  if (isStream && pieces.map(({ delta }) => delta).join('') !== text) {
    return { ...nothingRead, error: 'the pieces are not the text' };
  }
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map((call) => ({ name: call.name, arguments: z.unknown().parse(JSON.parse(call.arguments)) }));
  const refused = output.some(({ content }) => content.some(({ refusal }) => refusal !== ''));
  const ended = incomplete?.reason === 'max_output_tokens' ? 'length' : 'content_filter';
  const whole = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    ...nothingRead,
    text,
    reasoning: joined('reasoning', ({ summary }) => summary),
    calls,
    finish: incomplete !== null || refused ? ended : whole,
    promptTokens: usage?.input_tokens ?? 0,
    completionTokens: usage?.output_tokens ?? 0,
    cachedTokens: usage?.input_tokens_details.cached_tokens ?? 0,
  };
}
