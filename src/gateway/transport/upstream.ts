// The connections to all upstreams: HTTP/1.1 without pipelining, redirects or decompression. A request takes an idle
// connection to its origin, or opens one.

import { createSecureContext, rootCertificates } from 'node:tls';

import { createOpenGuard } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import type { Upstreams } from './boundary.ts';
import { createScratch } from './connection.ts';
import { Origin } from './origin.ts';
import { RequestHeads } from './request-bytes.ts';
import { UpstreamAttempt } from './upstream-attempt.ts';
import type { AttemptLimits } from './upstream-attempt.ts';
import type { Watch } from './watch.ts';

export type UpstreamOptions = Readonly<{
  /** Per origin. */
  idleConnectionsMax: number;
  /** PEM certificates trusted in addition to the built-in ones. */
  caBundle: readonly string[];
  /** By default only addresses that are never dialled are refused. */
  guard?: Guard;
  connectMs?: number;
  stallMs?: number;
  slowReaderMs?: number;
}>;

const connectMsDefault = 10_000;
/** An upstream that sends nothing for this long in the middle of a body is given up. */
const stallMsDefault = 300_000;
/** A client that reads nothing for this long is given up. */
const slowReaderMsDefault = 60_000;

/** A stale connection fails within this time of its use. */
const staleMs = 1000;

export function createUpstreams(watch: Watch, options: UpstreamOptions): Upstreams {
  const origins = new Map<string, Origin>();
  const { caBundle, idleConnectionsMax } = options;
  // Without a bundle, Node's default context is used, which is created once.
  const context =
    caBundle.length === 0 ? null : createSecureContext({ ca: [...rootCertificates, ...caBundle] });
  const limits: AttemptLimits = {
    connectTicks: watch.ticks(options.connectMs ?? connectMsDefault),
    stallTicks: watch.ticks(options.stallMs ?? stallMsDefault),
    slowReaderTicks: watch.ticks(options.slowReaderMs ?? slowReaderMsDefault),
    staleTicks: watch.ticks(staleMs),
  };
  const dependencies = { watch, limits, heads: new RequestHeads() };
  const guard = options.guard ?? createOpenGuard();
  const shared = { watch, scratch: createScratch(), context, guard, idleConnectionsMax };
  const originOf = (name: string): Origin => {
    const known = origins.get(name);
    if (known !== undefined) return known;
    const made = new Origin(name, shared);
    origins.set(name, made);
    return made;
  };
  return {
    send: (origin, request, sink) => {
      const attempt = new UpstreamAttempt(originOf(origin), dependencies, sink, request);
      attempt.send();
      return attempt;
    },
    keepOnly: (names) => {
      for (const [name, origin] of origins) {
        if (names.has(name)) continue;
        origins.delete(name);
        origin.retire();
      }
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.destroy()));
    },
  };
}
