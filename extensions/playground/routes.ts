// Relays one chat from the management UI to the gateway with a given key, which the gateway
// authorizes and accounts like any client's (docs/adr/0033-playground.md).

import { z } from 'zod';

import type { Relayed, RelayChat } from './chat-relay.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import { eventStream } from '../../src/admin/http/event-stream.ts';
import type { Places } from '../../src/admin/http/event-stream.ts';
import { none, route } from '../../src/admin/http/route.ts';

/** Per process. */
export const playgroundChatsMax = 8;

const stallMs = 60_000;

/** Sent as a header value, so line breaks are refused. */
const keyField = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'must be a key, without blanks');
const text = z.string().max(200_000);

type Parts = Readonly<{
  relayChat: RelayChat;
  /** Slots for concurrent chats. */
  chats: Places;
}>;

export const playgroundRoutes = ({ relayChat, chats }: Parts) =>
  [
    route({
      method: 'POST',
      path: '/admin/playground',
      operation: 'askPlayground',
      permission: 'config:write',
      summary: 'Send one chat to the gateway with the given key and stream the answer',
      asks: true,
      tag: 'Operations',
      example: {
        key: 'gw-0123456789abcdef',
        model: 'chat',
        messages: [{ role: 'user', content: 'Hello' }],
      },
      refusals: ['absent', 'too_many', 'upstream'],
      mediaType: 'text/event-stream',
      params: none,
      query: none,
      body: z.strictObject({
        key: keyField,
        model: z.string().min(1).max(500),
        messages: z
          .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: text }))
          .min(1)
          .max(200),
        max_tokens: z.int().positive().max(1_000_000).nullable().default(null),
        temperature: z.number().min(0).max(2).nullable().default(null),
      }),
      response: z.string().meta({
        examples: ['event: head\ndata: {"status":200,"headers":{"x-gw-route":"default"}}\n\n'],
      }),
      handle: async ({ body: { key, max_tokens, temperature, ...chat } }, { signal }) => {
        const leave = chats.take();
        if (leave === null) {
          const message = `${playgroundChatsMax} chats are already running in this process; retry later`;
          return refuse('too_many', message, { retryAfterSeconds: 5 });
        }
        const gone = signal();
        const body = {
          ...chat,
          stream: true,
          stream_options: { include_usage: true },
          ...(max_tokens === null ? {} : { max_tokens }),
          ...(temperature === null ? {} : { temperature }),
        };
        const relayed = await relayChat({ key, body }, gone);
        if (isRefusal(relayed)) {
          leave();
          return relayed;
        }
        const stream = eventStream(frames(relayed), { stallMs, signal: gone });
        stream.once('close', leave);
        return {
          headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
          stream,
        };
      },
    }),
  ] as const;

const frame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Sends `head`, then `text` as it arrives, then `end`, or `broken` with the reason. */
async function* frames({ status, headers, chunks }: Relayed): AsyncGenerator<string> {
  yield frame('head', { status, headers });
  try {
    for await (const chunk of chunks) yield frame('text', chunk);
    yield frame('end', {});
  } catch (error) {
    yield frame('broken', { message: `the answer broke off: ${String(error)}` });
  }
}
