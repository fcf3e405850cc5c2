// Writes the chunks of a streamed chat completion (wire reference 2.2). Renders the parts that all
// chunks share only once.

import type { UsageReport } from '../usage/counts.ts';
import { usageMembers } from './chat-answer.ts';
import type { FinishReason } from './chat-answer.ts';
import type { JsonObject } from './json.ts';
import type { StreamOptions } from './translation.ts';

export const streamMark = 'data: [DONE]\n\n';

export type ChatChunks = Readonly<{
  /** `delta` is JSON. */
  delta(delta: string): string;
  finish(reason: FinishReason): string;
  /** The last chunk, for clients that requested usage. */
  usage(usage: UsageReport): string;
}>;

export function chatChunks(id: string, model: string, options: StreamOptions): ChatChunks {
  const head = { id, object: 'chat.completion.chunk', created: options.created, model };
  const shared = JSON.stringify(head).slice(0, -1);
  const before = `data: ${shared},"choices":[{"index":0,"delta":`;
  // If the client requested usage, every other chunk carries `usage: null`.
  const after = options.includesUsage ? ',"usage":null}\n\n' : '}\n\n';
  return {
    delta: (delta) => `${before}${delta},"finish_reason":null}]${after}`,
    finish: (reason) => `${before}{},"finish_reason":"${reason}"}]${after}`,
    usage: (usage) =>
      `data: ${shared},"choices":[],${JSON.stringify(usageMembers(usage)).slice(1)}\n\n`,
  };
}

export const refusalDelta = (text: string): string => `{"refusal":${JSON.stringify(text)}}`;

export const contentDelta = (text: string): string => `{"content":${JSON.stringify(text)}}`;

export const reasoningDelta = (text: string): string =>
  `{"reasoning_content":${JSON.stringify(text)}}`;

/** The first chunk of a call. `more` holds its other members. */
export function toolCallDelta(
  index: number,
  call: Readonly<{ id: string; name: string; arguments: string }>,
  more: JsonObject = {},
): string {
  const { id, name, arguments: given } = call;
  const made = { index, id, type: 'function', function: { name, arguments: given }, ...more };
  return `{"tool_calls":[${JSON.stringify(made)}]}`;
}

export const argumentsDelta = (index: number, text: string): string =>
  `{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(text)}}}]}`;
