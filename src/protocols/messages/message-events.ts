// Writes the events of a streamed message (wire reference 1.6).

import type { UsageReport } from '../../usage/counts.ts';
import type { JsonObject } from '../json.ts';
import type { Stop } from './stop-reason.ts';
import { messageUsage } from './usage.ts';

export type BlockKind = 'thinking' | 'text' | 'tool_use';

const event = (type: string, members: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

/** The counts follow at the end: a chat server does not know them earlier. */
export const messageStart = (id: string, model: string): string =>
  event('message_start', {
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messageUsage(null),
    },
  });

export const ping = event('ping', {});

const emptyBlocks = {
  thinking: { type: 'thinking', thinking: '', signature: '' },
  text: { type: 'text', text: '' },
} as const;

export const blockStart = (index: number, kind: 'thinking' | 'text'): string =>
  event('content_block_start', { index, content_block: emptyBlocks[kind] });

export const toolStart = (index: number, id: string, name: string): string =>
  event('content_block_start', {
    index,
    content_block: { type: 'tool_use', id, name, input: {} },
  });

/** Assembled by hand, because the text around the content never changes. */
const delta =
  (type: string, name: string) =>
  (index: number, text: string): string =>
    `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},` +
    `"delta":{"type":"${type}","${name}":${JSON.stringify(text)}}}\n\n`;

export const textDelta = delta('text_delta', 'text');
export const thinkingDelta = delta('thinking_delta', 'thinking');
export const signatureDelta = delta('signature_delta', 'signature');
export const inputDelta = delta('input_json_delta', 'partial_json');

export const blockStop = (index: number): string => event('content_block_stop', { index });

export const messageEnd = (stop: Stop, usage: UsageReport | null): string =>
  event('message_delta', {
    delta: { stop_reason: stop.reason, stop_sequence: stop.sequence },
    usage: messageUsage(usage),
  }) + messageStop;

/** `error` is a whole envelope as JSON. */
export const errorEvent = (error: string): string => `event: error\ndata: ${error}\n\n`;

export const messageStop = event('message_stop', {});
