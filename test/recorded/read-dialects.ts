// Reads a chat completion of any server, as a body or a stream, in any dialect (wire reference 2.2
// to 2.4), without the gateway's code.

import { z } from 'zod';

import { nothingRead, valuesOf } from './reading.ts';
import type { Reading } from './reading.ts';

const textPart = z.object({ type: z.string(), text: z.string().default('') });
const contentPart = textPart.extend({ thinking: z.array(textPart).default([]) });

const call = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }),
});
type Call = z.output<typeof call>;

const said = z.object({
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning_details: z.array(z.object({ text: z.string().default('') })).nullish(),
  tool_calls: z.array(call).nullish(),
});
type Said = z.output<typeof said>;

const counts = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number().default(0),
  total_tokens: z.number().default(0),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
  prompt_cache_hit_tokens: z.number().nullish(),
  num_cached_tokens: z.number().nullish(),
});

const answer = z.object({
  choices: z
    .array(
      z.object({
        message: said.optional(),
        delta: said.optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: counts.nullish(),
  x_groq: z.object({ usage: counts.nullish() }).nullish(),
  error: z.object({ message: z.string() }).optional(),
});

export function readDialect(body: string, isStream: boolean): Reading {
  const answers = (isStream ? valuesOf(body) : [JSON.parse(body)]).map((one) => answer.parse(one));
  const failed = answers.find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) return { ...nothingRead, error: failed.message };
  const choices = answers.flatMap((one) => one.choices);
  const pieces = choices.flatMap(({ message, delta }) => message ?? delta ?? []);
  const used = answers.findLast((one) => one.usage ?? one.x_groq?.usage);
  const counted = used?.usage ?? used?.x_groq?.usage;
  const reason = choices.findLast((one) => one.finish_reason)?.finish_reason ?? null;
  const calls = callsIn(pieces.flatMap((one) => one.tool_calls ?? []));
  return {
    ...nothingRead,
    text: pieces.map(textOf).join(''),
    reasoning: pieces.map(reasoningOf).join(''),
    calls,
    finish: calls.length > 0 && reason === 'stop' ? 'tool_calls' : reason,
    promptTokens: counted?.prompt_tokens ?? 0,
    completionTokens: counted === null || counted === undefined ? 0 : outputOf(counted),
    cachedTokens:
      counted?.prompt_tokens_details?.cached_tokens ??
      counted?.prompt_cache_hit_tokens ??
      counted?.num_cached_tokens ??
      0,
  };
}

/** Some servers include the reasoning in the sum alone. */
const outputOf = (counted: z.output<typeof counts>): number =>
  Math.max(counted.completion_tokens, counted.total_tokens - counted.prompt_tokens);

const textOf = ({ content }: Said): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');

function reasoningOf({ content, ...told }: Said): string {
  const parts = typeof content === 'string' ? [] : (content ?? []);
  const thought = parts.flatMap(({ thinking }) => thinking.map(({ text }) => text)).join('');
  const detailed = (told.reasoning_details ?? []).map(({ text }) => text).join('');
  return (told.reasoning_content || told.reasoning || detailed) + thought;
}

/**
 * A piece with a name starts a call; other pieces continue the call of their index, or the last
 * one.
 */
function callsIn(pieces: readonly Call[]) {
  const calls: { index: number | null; name: string; text: string }[] = [];
  for (const { index, function: part } of pieces) {
    const text = part.arguments ?? '';
    if (part.name) calls.push({ index: index ?? null, name: part.name, text });
    else {
      const call = calls.findLast((one) => (index ?? null) === null || one.index === index);
      if (call !== undefined) call.text += text;
    }
  }
  return calls.map(({ name, text }) => ({ name, arguments: JSON.parse(text || '{}') }));
}
