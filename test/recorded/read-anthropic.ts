// Reads a recorded message of the Messages API as its vendor documents it, without the gateway's
// code. Assembles a stream like the vendor's libraries.

import { z } from 'zod';

import { nothingRead, valuesOf } from './reading.ts';
import type { Reading } from './reading.ts';

const usage = z.object({
  input_tokens: z.number().optional(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  output_tokens: z.number(),
});

const block = z.object({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});
type Block = z.output<typeof block>;

const message = z.object({ content: z.array(block), stop_reason: z.string().nullable(), usage });

const event = z.object({
  type: z.string(),
  index: z.int().default(0),
  message: message.optional(),
  content_block: block.optional(),
  delta: z
    .object({
      text: z.string().default(''),
      thinking: z.string().default(''),
      partial_json: z.string().default(''),
      stop_reason: z.string().nullish(),
    })
    .optional(),
  usage: usage.optional(),
});

const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** `promptOf` selects the event whose prompt tokens count. */
export function readAnthropic(
  body: string,
  isStream: boolean,
  promptOf: 'first' | 'last' = 'first',
): Reading {
  const read = isStream ? gathered(valuesOf(body), promptOf) : message.parse(JSON.parse(body));
  const { content, stop_reason: reason, usage: counted } = read;
  const texts = (type: string) => content.filter((one) => one.type === type);
  return {
    ...nothingRead,
    text: texts('text')
      .map((one) => one.text)
      .join(''),
    reasoning: texts('thinking')
      .map((one) => one.thinking)
      .join(''),
    calls: texts('tool_use').map(({ name = '', input }) => ({ name, arguments: input })),
    finish: reasons[reason ?? ''] ?? null,
    promptTokens:
      (counted.input_tokens ?? 0) +
      (counted.cache_read_input_tokens ?? 0) +
      (counted.cache_creation_input_tokens ?? 0),
    completionTokens: counted.output_tokens,
    cachedTokens: counted.cache_read_input_tokens ?? null,
  };
}

/**
 * The last event has the output tokens; the vendor reports prompt tokens in the first (Gateway rule
 * 11).
 */
function gathered(
  values: readonly unknown[],
  promptOf: 'first' | 'last',
): z.output<typeof message> {
  const events = values.map((value) => event.parse(value));
  const first = events.find(({ type }) => type === 'message_start')?.message;
  const deltas = events.filter(({ type }) => type === 'message_delta');
  const last = deltas.findLast((one) => one.usage)?.usage;
  const opened = events.filter(({ type }) => type === 'content_block_start');
  return {
    content: opened.map(({ index, content_block: start }) => grown(start, events, index)),
    stop_reason: deltas.findLast(({ delta }) => delta?.stop_reason)?.delta?.stop_reason ?? null,
    usage: {
      ...usage.parse(promptOf === 'first' ? first?.usage : last),
      output_tokens: last?.output_tokens ?? 0,
    },
  };
}

function grown(
  start: Block | undefined,
  events: readonly z.output<typeof event>[],
  of: number,
): Block {
  const deltas = events.flatMap(({ type, index, delta }) =>
    type === 'content_block_delta' && index === of && delta !== undefined ? [delta] : [],
  );
  const json = deltas.map(({ partial_json }) => partial_json).join('');
  return {
    ...block.parse(start),
    text: (start?.text ?? '') + deltas.map(({ text }) => text).join(''),
    thinking: (start?.thinking ?? '') + deltas.map(({ thinking }) => thinking).join(''),
    input: json === '' ? start?.input : JSON.parse(json),
  };
}
