// The connections to all upstreams. HTTP/1.1 without pipelining, no redirects, no decompression; a
// request takes an idle connection to its origin, or a new one.

import { createSecureContext, rootCertificates } from 'node:tls';

import { createOpenGuard } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import type { Upstreams } from './boundary.ts';
import { createScratch } from './connection.ts';
import { Origin } from './origin.ts';
import { UpstreamAttempt } from './upstream-attempt.ts';
import type { AttemptLimits } from './upstream-attempt.ts';
import type { Watch } from './watch.ts';

export type UpstreamOptions = Readonly<{
  /** Connections kept open to an origin while idle. */
  idleConnectionsMax: number;
  /** PEM certificates that are trusted besides the built-in ones. */
  caBundle: readonly string[];
  /** Where connections may go; everywhere but what is never dialled when absent. */
  guard?: Guard;
  connectMs?: number;
  stallMs?: number;
  slowReaderMs?: number;
}>;

const connectMsDefault = 10_000;
/** An upstream that has been silent for so long in the middle of a body is given up. */
const stallMsDefault = 300_000;
/** A client that has read nothing for so long is given up. */
const slowReaderMsDefault = 60_000;

/** A kept connection that the upstream has meanwhile closed shows it so soon after it is used. */
const staleMs = 1000;

export function createUpstreams(watch: Watch, options: UpstreamOptions): Upstreams {
  const origins = new Map<string, Origin>();
  const { caBundle, idleConnectionsMax } = options;
  // Without a bundle Node's own context is used, which it makes once and fast.
  const context =
    caBundle.length === 0 ? null : createSecureContext({ ca: [...rootCertificates, ...caBundle] });
  const limits: AttemptLimits = {
    connectTicks: watch.ticks(options.connectMs ?? connectMsDefault),
    stallTicks: watch.ticks(options.stallMs ?? stallMsDefault),
    slowReaderTicks: watch.ticks(options.slowReaderMs ?? slowReaderMsDefault),
    staleTicks: watch.ticks(staleMs),
  };
  const dependencies = { watch, limits };
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
