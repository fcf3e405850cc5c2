// What an answer is taken to have used when its usage could not be read: the client hung up before it, it stood too far from the
// end, the answer was compressed, or there was none. Budgets are charged with it (specification, "Usage event": usage_reported).

import { estimateTokens } from './estimate.ts';

/** What was forwarded of an answer. `tail` is its last bytes, null where they cannot be read. */
export type Forwarded = Readonly<{ bytes: number; tail: string | null; isStream: boolean }>;

export type TokenEstimate = Readonly<{ promptTokens: number; completionTokens: number }>;

/** What of the tokens of a route an estimate can tell: of sound and pictures, nothing. */
export type Countable = 'prompt_and_completion' | 'prompt' | 'nothing';

/** Null when nothing can be told. */
export function estimateAnswer(
  countable: Countable,
  promptTokens: number,
  forwarded: Forwarded,
): TokenEstimate | null {
  switch (countable) {
    case 'nothing':
      return null;
    case 'prompt':
      return { promptTokens, completionTokens: 0 };
    case 'prompt_and_completion':
      return { promptTokens, completionTokens: estimateTokens(textBytesOf(forwarded)) };
  }
}

/**
 * In a stream each piece of text comes in a frame that is many times as long. The share of text in the tail is taken for that of the
 * whole. Any other answer is taken for text.
 */
function textBytesOf({ bytes, tail, isStream }: Forwarded): number {
  if (!isStream || tail === null || tail === '') return bytes;
  let textBytes = 0;
  for (const [, text = ''] of tail.matchAll(textMembers)) textBytes += text.length;
  return Math.ceil((bytes * textBytes) / tail.length);
}

/** The members of a frame that hold what a model wrote, in the dialects that clients speak. */
const textMembers =
  /"(?:content|text|delta|refusal|reasoning|reasoning_content|thinking|arguments|partial_json)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
