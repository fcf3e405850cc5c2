// Why an answer ended, in the words of the Messages API
// (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).

import { member, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

export type Stop = Readonly<{
  reason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal';
  /** The sequence that was met, where the server tells. */
  sequence: string | null;
}>;

type Ended = Readonly<{
  hasToolCalls: boolean;
  isRefused: boolean;
  /** Those that the request named. */
  stopSequences: () => readonly string[];
}>;

/** `choice` is the one that has the finish reason. */
export function stopOf(
  choice: JsonObject,
  { hasToolCalls, isRefused, stopSequences }: Ended,
): Stop {
  if (isRefused) return { reason: 'refusal', sequence: null };
  switch (member(choice, 'finish_reason')) {
    case 'length':
      return { reason: 'max_tokens', sequence: null };
    case 'content_filter':
      return { reason: 'refusal', sequence: null };
    case 'tool_calls':
    case 'function_call':
      return { reason: 'tool_use', sequence: null };
    default: {
      // Many servers say `stop` for calls too.
      if (hasToolCalls) return { reason: 'tool_use', sequence: null };
      const sequence = matchedSequence(choice, stopSequences);
      return { reason: sequence === null ? 'end_turn' : 'stop_sequence', sequence };
    }
  }
}

/** As vLLM and SGLang tell it. */
function matchedSequence(choice: JsonObject, stopSequences: Ended['stopSequences']): string | null {
  const matched = textOf(choice, 'stop_reason') ?? textOf(choice, 'matched_stop');
  return matched !== null && stopSequences().includes(matched) ? matched : null;
}
