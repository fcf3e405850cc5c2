// Reads engine metrics periodically, off the request path, for routing and flow control. Each endpoint is read once for all
// its models, with a limit on concurrent reads.

import type { Clock } from '../../lib/clock.ts';
import { engineReadingMs } from '../../routing/load.ts';
import type { Log } from '../../telemetry/log.ts';
import { noteStalled } from '../health/backend.ts';
import type { EndpointState } from '../backend-state.ts';
import type { Scrape } from './scrape.ts';
import { afterAnswer, afterPass, giveUpMs, isDue, notDetected } from './detection.ts';
import type { Detection } from './detection.ts';
import { requestsOf } from './families.ts';
import type { EnginePage } from './families.ts';
import { afterPage, isStalled, noBaseline } from './stall.ts';
import type { Stall } from './stall.ts';
import { selectDue } from './select-due.ts';
import { commonProtocol } from '../../protocols/facts.ts';

export type ScraperOptions = Readonly<{
  endpoints: () => readonly EndpointState[];
  scrape: Scrape;
  intervalMs: number;
  log: Log;
  now: Clock;
  monotonic: Clock;
  /** Between 0 and 1, so that proxies do not scrape in step. */
  random: () => number;
}>;

/** An edited endpoint gets a new state. */
type Watched = {
  detection: Detection;
  /**
   * When the last page was read. Null before the first, and once it is so old that nothing depends
   * on it.
   */
  readAtMs: number | null;
  stall: Stall;
  /** The passed health probes at the last check. */
  passes: number;
  scrapedAtMs: number;
  isSilent: boolean;
};

/** A new endpoint is scraped within this time. */
const firstMsMax = 1000;
const tickMsMax = 250;
/** The minimum time before an engine counts as stalled. */
const stallMs = 10_000;

/** `close` cancels scrapes in flight. */
export function startScraper(options: ScraperOptions): Readonly<{ close: () => void }> {
  const { endpoints, scrape, intervalMs, monotonic, random } = options;
  const watched = new WeakMap<EndpointState, Watched>();
  const stopping = new AbortController();
  const inFlight = new Set<Watched>();
  const watchOf = (endpoint: EndpointState): Watched => {
    const known = watched.get(endpoint);
    if (known !== undefined) return known;
    const fresh = watchFrom(monotonic() + random() * Math.min(intervalMs, firstMsMax));
    watched.set(endpoint, fresh);
    return fresh;
  };
  const run = async (endpoint: EndpointState, watch: Watched): Promise<void> => {
    const scrapedAtMs = monotonic();
    inFlight.add(watch);
    watch.scrapedAtMs = scrapedAtMs;
    const { answer, page } = await scrape(endpoint, stopping.signal);
    inFlight.delete(watch);
    watch.isSilent = answer === 'none';
    if (stopping.signal.aborted) return;
    const wasDetected = watch.detection.kind === 'detected';
    watch.detection = afterAnswer(watch.detection, answer, { scrapedAtMs, intervalMs });
    if (page === null) return;
    if (!wasDetected) noteFound(options, endpoint);
    notePage(options, endpoint, watch, page);
  };
  const tick = (): void => {
    const nowMs = monotonic();
    const due = new Map<Watched, EndpointState>();
    for (const endpoint of endpoints()) {
      // Engines use the common protocol. Vendors with their own protocol publish no metrics.
      if (endpoint.backend.protocol !== commonProtocol) continue;
      const watch = watchOf(endpoint);
      forgetStale(endpoint, watch, nowMs);
      if (endpoint.passes > watch.passes) watch.detection = afterPass(watch.detection, nowMs);
      watch.passes = endpoint.passes;
      if (!inFlight.has(watch) && isDue(watch.detection, nowMs)) due.set(watch, endpoint);
    }
    for (const watch of selectDue([...due.keys()], [...inFlight])) {
      const endpoint = due.get(watch);
      if (endpoint !== undefined) void run(endpoint, watch);
    }
  };
  const timer = setInterval(tick, Math.min(tickMsMax, intervalMs / 4)).unref();
  return {
    close: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}

const watchFrom = (nextAtMs: number): Watched => ({
  detection: notDetected(nextAtMs),
  readAtMs: null,
  stall: noBaseline,
  passes: 0,
  scrapedAtMs: 0,
  isSilent: false,
});

function noteFound({ log }: ScraperOptions, { backend }: EndpointState): void {
  log.info({ api_base: backend.apiBase }, 'a backend publishes engine metrics');
}

function notePage(
  { now, monotonic, log, intervalMs }: ScraperOptions,
  endpoint: EndpointState,
  watch: Watched,
  page: EnginePage,
): void {
  const atMs = now();
  watch.readAtMs = monotonic();
  for (const state of endpoint.backends) {
    const requests = requestsOf(page, state.backend.upstreamModel);
    if (requests === null) continue;
    const { running, waiting } = requests;
    state.engine = { requests: running + waiting, running, waiting, atMs };
    state.admission?.observe(waiting);
  }
  const { progress, total } = page;
  watch.stall = afterPage(watch.stall, { progress, running: total.running });
  const { unhealthy_after: unhealthyAfter } = endpoint.tuning;
  const pagesMin = Math.max(unhealthyAfter, Math.ceil(stallMs / intervalMs));
  if (!isStalled(watch.stall, pagesMin)) return;
  for (const state of endpoint.backends) {
    if (!noteStalled(state, atMs)) continue;
    const { apiBase: api_base, upstreamModel: model } = state.backend;
    const seconds = Math.ceil((state.restsUntilMs - atMs) / 1000);
    const fields = { api_base, model, reason: 'frozen counters', seconds };
    log.warn(fields, 'a backend is out of rotation');
  }
}

/**
 * Discards old readings: routing must not use them, and a ceiling lowered by the engine must not stay low when the
 * engine stops reporting.
 */
function forgetStale(endpoint: EndpointState, watch: Watched, nowMs: number): void {
  if (watch.readAtMs === null) return;
  const ageMs = nowMs - watch.readAtMs;
  if (ageMs <= engineReadingMs) return;
  watch.stall = noBaseline;
  for (const state of endpoint.backends) state.engine = null;
  if (ageMs < giveUpMs) return;
  for (const state of endpoint.backends) state.admission?.observe(null);
  watch.readAtMs = null;
}
