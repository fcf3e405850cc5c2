// Probes every endpoint periodically, off the request path, on its own schedule and never twice at
// once. Limits concurrent probes.

import { hash } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { noteProbe } from './backend.ts';
import type { EndpointState } from '../backend-state.ts';
import { windowsIn } from './probe.ts';
import type { Found, Probe } from './probe.ts';

export type ProberOptions = Readonly<{
  endpoints: () => readonly EndpointState[];
  probe: Probe;
  intervalMs: number;
  log: Log;
  now: Clock;
  monotonic: Clock;
  /** Between 0 and 1, so that proxies do not probe in step. */
  random: () => number;
}>;

/** Others wait; the longest overdue goes first. */
const parallelMax = 64;
/** A new endpoint is probed within this time. */
const firstMsMax = 1000;
/** Each interval varies by this share. */
const jitter = 0.1;
const tickMsMax = 250;

/** `close` cancels probes in flight. */
export function startProber(options: ProberOptions): Readonly<{ close: () => void }> {
  const { endpoints, intervalMs, monotonic, random } = options;
  const dueAt = new WeakMap<EndpointState, number>();
  const inFlight = new Set<EndpointState>();
  const stopping = new AbortController();
  const dueOf = (endpoint: EndpointState): number => {
    const known = dueAt.get(endpoint);
    if (known !== undefined) return known;
    const first = monotonic() + random() * Math.min(intervalMs, firstMsMax);
    dueAt.set(endpoint, first);
    return first;
  };
  const run = async (endpoint: EndpointState): Promise<void> => {
    inFlight.add(endpoint);
    dueAt.set(endpoint, monotonic() + intervalMs * (1 + jitter * (2 * random() - 1)));
    const found = await options.probe(endpoint, stopping.signal);
    inFlight.delete(endpoint);
    if (!stopping.signal.aborted) note(options, endpoint, found);
  };
  const tick = (): void => {
    const nowMs = monotonic();
    const due = endpoints().filter((one) => dueOf(one) <= nowMs && !inFlight.has(one));
    due.sort((a, b) => dueOf(a) - dueOf(b));
    for (const endpoint of due.slice(0, parallelMax - inFlight.size)) void run(endpoint);
  };
  const timer = setInterval(tick, Math.min(tickMsMax, intervalMs / 4)).unref();
  return {
    close: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}

function note({ log, now }: ProberOptions, endpoint: EndpointState, found: Found): void {
  const { finding, detail, list } = found;
  const change = noteProbe(endpoint, finding, now());
  const fields = { api_base: endpoint.backend.apiBase, reason: 'probe', detail };
  if (change === 'out') log.warn(fields, 'a backend is out of rotation');
  if (change === 'back') log.info(fields, 'a backend is back in rotation');
  if (list === null) return;
  const digest = hash('sha256', list);
  if (digest === endpoint.listDigest) return;
  endpoint.listDigest = digest;
  endpoint.windows = windowsIn(list, endpoint.backend.protocol);
}
