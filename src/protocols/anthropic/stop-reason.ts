// Why a message ended, in the words of a chat
// (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).

import type { FinishReason } from '../chat-answer.ts';

/** `hasToolCalls` decides where the vendor gives no reason or one that is not known. */
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
