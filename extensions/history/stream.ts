// Streams the history to collectors: at least once, in log order, resumable after any position. The
// stream ends with its session.

import { z } from 'zod';

import { cloudEvent } from './cloud-event.ts';
import { followHistory, refuseBeyond } from './follow-history.ts';
import type { HistoryEvent } from '../../projections/history-event.ts';
import { readHead } from '../../src/db/log/event-log.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { authorise } from '../../src/admin/http/authorise.ts';
import type { ExtensionNeeds } from '../../src/admin/extension.ts';
import { eventStream } from '../../src/admin/http/event-stream.ts';
import type { Places } from '../../src/admin/http/event-stream.ts';
import { wholeNumber } from '../../src/admin/http/fields.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Call } from '../../src/admin/http/route.ts';

/** Per process. */
export const historyStreamsMax = 16;

/** An idle stream sends a keep-alive and checks its session at this interval. */
const heartbeatMs = 5_000;
const stallMs = 60_000;
const retryMs = 1_000;

const header = 'last-event-id';
const heldId = wholeNumber({ from: 0 });

/** `places` are the slots for open streams. */
export const historyStreamRoutes = (places: Places) =>
  [
    route({
      method: 'GET',
      path: '/admin/history/stream',
      operation: 'streamHistory',
      permission: 'usage:read',
      tag: 'History',
      summary: 'Streams new events of the log as CloudEvents, after Last-Event-ID or `after`',
      refusals: ['absent', 'too_many'],
      mediaType: 'text/event-stream',
      params: none,
      query: z.strictObject({
        after: wholeNumber({ from: 0 }).default(0).meta({
          description: 'The log position of the last event you have; the stream begins after it.',
        }),
      }),
      body: none,
      response: z.string().meta({ examples: ['id: 1\ndata: {"specversion":"1.0","id":"1"}\n\n'] }),
      handle: async ({ query }, call, needs: ExtensionNeeds) => {
        const { headers } = call;
        const given = readHeld(headers[header]);
        if (isRefusal(given)) return given;
        const held = given === null ? { after: query.after, param: 'after' } : given;
        const { position, logId } = await readHead(needs.reports);
        const beyond = refuseBeyond(position, held);
        if (beyond !== null) return beyond;
        const leave = places.take();
        if (leave === null) {
          const message = `${historyStreamsMax} history streams are already open in this process; retry later`;
          return refuse('too_many', message, { retryAfterSeconds: 10 });
        }
        const signal = call.signal();
        const pages = followFor(call, needs, { after: held.after, signal });
        const stream = eventStream(frames(pages, logId), { stallMs, signal });
        stream.once('close', leave);
        return {
          headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
          stream,
        };
      },
    }),
  ] as const;

/** Null if the reader has not received an event yet. */
function readHeld(
  given: string | string[] | undefined,
): Readonly<{ after: number; param: string }> | Refusal | null {
  if (given === undefined || given === '') return null;
  const read = heldId.safeParse(given);
  if (read.success) return { after: read.data, param: header };
  const message = `${header}: must be a position, was ${JSON.stringify(given)}`;
  return refuse('invalid', message, { param: header });
}

type From = Readonly<{ after: number; signal: AbortSignal }>;

/** True while the session is valid and may read the history. */
function followFor(
  { permission, headers }: Call,
  { credentials, rereads, heads, reports, plane }: ExtensionNeeds,
  { after, signal }: From,
) {
  const before = rereads();
  return followHistory(reports, {
    after,
    // The log may have lost events that were sent. The reader must ask again, and is told if its
    // position is beyond the end.
    mayGoOn: async () => {
      if (signal.aborted) return false;
      // The page may be ahead of this replica's state.
      await plane.refresh();
      const isRefused = isRefusal(await authorise(permission, headers, credentials));
      return !isRefused && before === rereads();
    },
    news: (last) => heads.past(last, { ms: heartbeatMs, signal }),
  });
}

async function* frames(
  pages: AsyncIterable<readonly HistoryEvent[]>,
  logId: string,
): AsyncGenerator<string, void, undefined> {
  yield `retry: ${retryMs}\n\n`;
  for await (const page of pages) {
    if (page.length === 0) yield ':\n\n';
    for (const event of page) {
      yield `id: ${event.position}\ndata: ${JSON.stringify(cloudEvent(logId, event))}\n\n`;
    }
  }
}
