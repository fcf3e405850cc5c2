// Reads a chat completion, as a body or a stream, like its clients do.

import { z } from 'zod';

import { nothingRead, valuesOf } from './reading.ts';
import type { Reading } from './reading.ts';

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().optional() }).nullish(),
});

const call = z.object({
  index: z.int().default(0),
  function: z.object({ name: z.string().default(''), arguments: z.string().default('') }),
});

const said = z.object({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(call).default([]),
});
type Said = z.output<typeof said>;

const choice = z.object({
  message: said.optional(),
  delta: said.optional(),
  finish_reason: z.string().nullish(),
});

const answer = z.object({
  choices: z.array(choice).default([]),
  usage: usage.nullish(),
  error: z.object({ message: z.string() }).optional(),
});

export function readChatAnswer(body: string, isStream: boolean): Reading {
  const values = isStream ? valuesOf(body) : [JSON.parse(body)];
  const answers = values.map((value) => answer.parse(value));
  const failed = answers.find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) return { ...nothingRead, error: failed.message };
  const choices = answers.flatMap(({ choices: some }) => some);
  const pieces = choices.flatMap(({ message, delta }) => message ?? delta ?? []);
  const counted = answers.findLast(({ usage: given }) => given)?.usage ?? null;
  return {
    ...nothingRead,
    text: pieces.map(({ content }) => content).join(''),
    reasoning: pieces.map(({ reasoning_content: reasoning }) => reasoning).join(''),
    calls: isStream ? callsIn(pieces) : pieces.flatMap(({ tool_calls: calls }) => calls.map(made)),
    finish: choices.findLast(({ finish_reason: reason }) => reason)?.finish_reason ?? null,
    promptTokens: counted?.prompt_tokens ?? null,
    completionTokens: counted?.completion_tokens ?? null,
    cachedTokens: counted?.prompt_tokens_details?.cached_tokens ?? null,
  };
}

type Call = z.output<typeof call>;

const made = ({ function: { name, arguments: given } }: Call) => ({
  name,
  arguments: JSON.parse(given === '' ? '{}' : given),
});

/** Pieces of one call share its index, and only the first has its name. */
function callsIn(pieces: readonly Said[]) {
  const byIndex = Map.groupBy(
    pieces.flatMap(({ tool_calls: calls }) => calls),
    ({ index }) => index,
  );
  return [...byIndex.values()].map((all) => {
    const joined = (of: (one: Call['function']) => string): string =>
      all.map((one) => of(one.function)).join('');
    const name = joined((one) => one.name);
    return made({ index: 0, function: { name, arguments: joined((one) => one.arguments) } });
  });
}
