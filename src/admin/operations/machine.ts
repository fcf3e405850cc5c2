// Serves the control-plane protocol to proxies (specification, "Control-plane protocol"). The
// snapshot contains usable credentials, so it requires a proxy token.

import { z } from 'zod';

import { contentCodings } from '../../control/publishing/published.ts';
import type { Published, Sendable } from '../../control/publishing/published.ts';
import type { Publisher } from '../../control/publishing/publish.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { baseHeader, deltaMediaType, rootHeader } from '../../snapshot/delta/delta.ts';
import { snapshot } from '../../snapshot/schema.ts';
import { usageBatch, usageReceipt } from '../../usage/usage-event.ts';
import { wholeNumber } from '../http/fields.ts';
import type { MachineNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const waitSecondsMax = 30;
const usageBytesMax = 4 * 1024 * 1024;

export const machineRoutes = [
  route({
    method: 'GET',
    path: '/snapshot',
    operation: 'getSnapshot',
    permission: 'proxy_token',
    summary:
      'Get the published snapshot, or a delta to it from x-gw-snapshot-base; 304 if If-None-Match still matches after waiting',
    refusals: ['unavailable'],
    conditional: true,
    params: none,
    query: z.strictObject({
      /**
       * The version of the caller. This replica reads the log to its head before it returns an
       * older one.
       */
      at_least: wholeNumber({ from: 0 }).default(0),
      /** Seconds to wait for a snapshot that If-None-Match does not name. */
      wait: wholeNumber({ from: 0, to: waitSecondsMax }).default(0),
    }),
    body: none,
    response: snapshot,
    handle: async ({ query }, { config, headers, signal }, { publisher, log }: MachineNeeds) => {
      const version = (): number => publisher.current()?.version ?? -1;
      if (version() < query.at_least) await config.refresh();
      if (version() < query.at_least) await publisher.publishNow();
      const isHeld = heldTags(headers['if-none-match']);
      const isNews = (published: Published): boolean =>
        published.version >= query.at_least && !isHeld(published.etag);
      if (query.wait > 0)
        await nextThat(publisher, isNews, {
          seconds: query.wait,
          signal: signal(),
        });
      const current = publisher.current();
      if (current === null) return notPublished;
      if (current.version < query.at_least) {
        // The log itself is older, not just this replica: it was restored from an older copy. The
        // proxy decides what to do, and reports it.
        const fields = { version: current.version, asked: query.at_least };
        log.warn(fields, 'a proxy has a snapshot version that is not in this log');
      }
      if (isHeld(current.etag)) {
        return { status: 304, headers: { etag: current.etag }, bytes: null };
      }
      const base = headers[baseHeader];
      const delta = typeof base === 'string' ? publisher.deltaFrom(base) : null;
      const found =
        delta === null ? await publisher.whole() : { published: current, sendable: delta };
      if (found === null) return notPublished;
      const sent = await encodedFor(headers['accept-encoding'], found.sendable);
      return {
        headers: {
          etag: found.published.etag,
          [rootHeader]: found.published.root,
          'content-type': delta === null ? 'application/json' : deltaMediaType,
          vary: `accept-encoding, ${baseHeader}`,
          ...sent.headers,
        },
        bytes: sent.bytes,
      };
    },
  }),
  route({
    method: 'POST',
    path: '/usage',
    operation: 'reportUsage',
    permission: 'proxy_token',
    summary:
      'Report usage events; invalid records, and those that refer to deleted entities, are dropped',
    refusals: ['unavailable'],
    bodyBytesMax: usageBytesMax,
    params: none,
    query: none,
    body: usageBatch,
    response: usageReceipt,
    handle: async ({ body }, _call, { takeUsage }: MachineNeeds) => {
      const receipt = await takeUsage(body);
      return isRefusal(receipt) ? receipt : { body: receipt };
    },
  }),
] as const;

const notPublished = refuse('unavailable', 'no snapshot is published yet', {
  retryAfterSeconds: 1,
});

/** The first coding that the caller accepts, unless the body is small. */
async function encodedFor(accepted = '', sendable: Sendable) {
  const coding = contentCodings.find((one) => acceptsCoding(accepted, one));
  const encoded = coding === undefined ? null : sendable.encoded(coding);
  if (coding === undefined || encoded === null) return { headers: {}, bytes: sendable.bytes };
  return { headers: { 'content-encoding': coding }, bytes: await encoded };
}

/** Weights other than 0 have no effect (RFC 9110, section 12.5.3). */
const acceptsCoding = (header: string, coding: string): boolean =>
  header.split(',').some((one) => {
    const [name, ...weights] = one.split(';').map((part) => part.trim());
    return name === coding && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight));
  });

/** If-None-Match is a list of weak or strong tags, or `*` (RFC 9110, section 13.1.2). */
export function heldTags(header: string | undefined): (etag: string) => boolean {
  if (header?.trim() === '*') return () => true;
  const tags = new Set(header?.match(/"[^"]*"/g));
  return (etag) => tags.has(etag);
}

type Waiting = Readonly<{ seconds: number; signal: AbortSignal }>;

/** Returns when such a snapshot is published, at the deadline, or when the caller disconnects. */
async function nextThat(
  publisher: Publisher,
  isNews: (published: Published) => boolean,
  { seconds, signal }: Waiting,
): Promise<void> {
  const current = publisher.current();
  if (signal.aborted || (current !== null && isNews(current))) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  const stop = publisher.onPublished((published) => {
    if (isNews(published)) resolve();
  });
  signal.addEventListener('abort', () => resolve(), { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
