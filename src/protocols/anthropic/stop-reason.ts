// Translates the stop reason of a message to the finish reason of a chat
// (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).

import type { FinishReason } from '../chat-answer.ts';

/** `hasToolCalls` decides if the reason is missing or unknown. */
export function finishReason(stopReason: unknown, hasToolCalls: boolean): FinishReason {
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
    case 'pause_turn':
    case 'compaction':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'content_filter';
    default:
      return hasToolCalls ? 'tool_calls' : 'stop';
  }
}
