// Translates the finish reason of a chat to the stop reason of the Messages API
// (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).

import { member, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

export type Stop = Readonly<{
  reason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal';
  /** The stop sequence that matched, if the server reports it. */
  sequence: string | null;
}>;

type Ended = Readonly<{
  hasToolCalls: boolean;
  isRefused: boolean;
  /** In the request. */
  stopSequences: () => readonly string[];
}>;

/** `choice` is the one with the finish reason. */
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
      // Many servers report `stop` for calls too.
      if (hasToolCalls) return { reason: 'tool_use', sequence: null };
      const sequence = matchedSequence(choice, stopSequences);
      return { reason: sequence === null ? 'end_turn' : 'stop_sequence', sequence };
    }
  }
}

/** vLLM and SGLang report it this way. */
function matchedSequence(choice: JsonObject, stopSequences: Ended['stopSequences']): string | null {
  const matched = textOf(choice, 'stop_reason') ?? textOf(choice, 'matched_stop');
  return matched !== null && stopSequences().includes(matched) ? matched : null;
}
