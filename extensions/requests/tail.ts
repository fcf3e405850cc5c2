// Streams requests as they are recorded, by any control plane: at least once, and until the session or token ends.

import { setTimeout as pass } from 'node:timers/promises';

import { z } from 'zod';

import type { ExtensionNeeds } from '../../src/admin/extension.ts';
import { authorise } from '../../src/admin/http/authorise.ts';
import { eventStream } from '../../src/admin/http/event-stream.ts';
import type { Places } from '../../src/admin/http/event-stream.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Call } from '../../src/admin/http/route.ts';
import { toUsageRecord } from '../../src/admin/operations/usage-events.ts';
import { usageFilter } from '../../src/admin/operations/usage-filter.ts';
import { readArrivals } from '../../src/db/usage/usage-arrivals.ts';
import type { UsageEventFilter } from '../../src/db/usage/usage-filter.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';

/** Per process. */
export const tailsMax = 16;

/** Rows of one read. If more arrive at once, the newest are sent. */
export const arrivalsMax = 500;

const pollMs = 1_000;
/** A read that takes long waits longer for the next one: the tail uses at most this share of a connection. */
const busyShare = 0.1;
/** Rows are read again for this long, because one that was received earlier can be stored later. */
const overlapMs = 10_000;
/** Arrivals that are older are not sent to a client that was away. */
const awayMaxMs = 60_000;
const stallMs = 60_000;
const retryMs = 1_000;

const header = 'last-event-id';
const heldTime = z.iso.datetime();

const { since: _since, until: _until, ...rowFilter } = usageFilter;

/** `places` are the slots for open streams. */
export const tailRoute = (places: Places) =>
  route({
    method: 'GET',
    path: '/admin/usage/tail',
    operation: 'tailUsage',
    permission: 'usage:read',
    tag: 'Usage and prices',
    summary: 'Stream the requests that a filter selects as they are recorded',
    refusals: ['too_many'],
    mediaType: 'text/event-stream',
    parameters: { stream: 'Only streamed requests, or only others.' },
    params: none,
    query: z.strictObject(rowFilter),
    body: none,
    response: z.string().meta({
      examples: ['id: 2026-11-21T10:00:00.000Z\ndata: {"id":"01KAJWQ2G0V5T9X3M7R1C4E8HB"}\n\n'],
    }),
    handle: ({ query }, call, needs: ExtensionNeeds) => {
      const now = needs.clock();
      const from = readHeld(call.headers[header], now);
      if (isRefusal(from)) return from;
      const leave = places.take();
      if (leave === null) {
        const message = `${tailsMax} live views are already open in this process; retry later`;
        return refuse('too_many', message, { retryAfterSeconds: 10 });
      }
      const signal = call.signal();
      const stream = eventStream(frames(query, from, followWith(call, needs)), { stallMs, signal });
      stream.once('close', leave);
      return {
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
        stream,
      };
    },
  });

/** Epoch milliseconds of the last arrival that the client has. */
function readHeld(given: string | string[] | undefined, now: number): number | Refusal {
  if (given === undefined || given === '') return now;
  const read = heldTime.safeParse(given);
  if (read.success) return Math.min(now, Math.max(Date.parse(read.data), now - awayMaxMs));
  const message = `${header}: must be the id of an event of this stream, was ${JSON.stringify(given)}`;
  return refuse('invalid', message, { param: header });
}

type Read = (filter: UsageEventFilter, after: Date) => ReturnType<typeof readArrivals>;

type Following = Readonly<{
  read: Read;
  /** False once the session or token may no longer read usage. */
  mayGoOn: () => Promise<boolean>;
  /** Waits after a read that took this long. */
  wait: (tookMs: number) => Promise<void>;
  clock: () => number;
}>;

function followWith(
  { permission, headers, signal: signalOf }: Call,
  { credentials, plane, clock }: ExtensionNeeds,
): Following {
  const signal = signalOf();
  return {
    clock,
    read: (filter, after) => readArrivals(plane.reports, { filter, after, rows: arrivalsMax }),
    mayGoOn: async () => {
      if (signal.aborted) return false;
      await plane.refresh();
      return !isRefusal(await authorise(permission, headers, credentials));
    },
    wait: (tookMs) =>
      pass(Math.max(pollMs, tookMs / busyShare), undefined, { signal }).catch(() => undefined),
  };
}

async function* frames(
  filter: UsageEventFilter,
  from: number,
  { read, mayGoOn, wait, clock }: Following,
): AsyncGenerator<string, void, undefined> {
  yield `retry: ${retryMs}\n\n`;
  let last = from;
  let seen: ReadonlySet<string> | null = null;
  for (;;) {
    const startedAt = clock();
    const after = Math.max(last - overlapMs, startedAt - awayMaxMs);
    const rows = await read(filter, new Date(after));
    // Checked after reading, so that no row is sent that was stored after the permission ended.
    if (!(await mayGoOn())) return;
    const known: ReadonlySet<string> = seen ?? new Set();
    const fresh = rows.filter(({ id }) => !known.has(id)).toReversed();
    if (seen !== null && fresh.length === arrivalsMax) yield 'event: skipped\ndata: {}\n\n';
    for (const row of fresh) {
      last = Math.max(last, row.received_at.getTime());
      yield `id: ${new Date(last).toISOString()}\ndata: ${JSON.stringify(toUsageRecord(row))}\n\n`;
    }
    if (fresh.length === 0) yield ':\n\n';
    seen = new Set(rows.map(({ id }) => id));
    await wait(clock() - startedAt);
  }
}
