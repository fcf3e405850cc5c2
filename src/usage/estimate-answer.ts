// Estimates the usage of an answer that did not report it: the client disconnected early, the report was too far from the
// end, or the answer was compressed. Budgets are charged with the estimate (specification, "Usage event": usage_reported).

import { totalsOnly } from './counts.ts';
import type { UsageCounts } from './counts.ts';
import { estimateTokens } from './estimate.ts';

/** The forwarded part of an answer. `tail` is its last bytes, or null when they are unreadable. */
export type Forwarded = Readonly<{ bytes: number; tail: string | null; isStream: boolean }>;

/** The tokens that can be estimated for a route. Audio and images cannot. */
export type Countable = 'prompt_and_completion' | 'prompt' | 'nothing';

/** Null when nothing can be estimated. */
export function estimateAnswer(
  countable: Countable,
  promptTokens: number,
  forwarded: Forwarded,
): UsageCounts | null {
  switch (countable) {
    case 'nothing':
      return null;
    case 'prompt':
      return totalsOnly({ promptTokens, completionTokens: 0 });
    case 'prompt_and_completion':
      return totalsOnly({
        promptTokens,
        completionTokens: estimateTokens(textBytesOf(forwarded)),
      });
  }
}

/**
 * In a stream each piece of text is in a much longer frame, so the share of text in the tail is applied to the whole
 * answer. Any other answer counts as text.
 */
function textBytesOf({ bytes, tail, isStream }: Forwarded): number {
  if (!isStream || tail === null || tail === '') return bytes;
  let textBytes = 0;
  for (const [, text = ''] of tail.matchAll(textMembers)) textBytes += text.length;
  return Math.ceil((bytes * textBytes) / tail.length);
}

/** The frame members that contain model output, in the protocols that clients use. */
const textMembers =
  /"(?:content|text|delta|refusal|reasoning|reasoning_content|thinking|arguments|partial_json)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
