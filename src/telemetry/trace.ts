// Defines traces: one span per traced request (specification, "Logs, metrics, traces").

import type { Guard } from '../egress/egress.ts';
import type { Log } from './log.ts';
import type { Source } from './scrape.ts';

/** The attributes of a request's span. Never its body, its caller or a credential. */
export type TraceFacts = {
  /** The requested model. */
  model?: string;
  served_model?: string;
  /** The address of the endpoint that answered. */
  backend?: string;
  route?: string;
  stream?: boolean;
  /** The prompt class. */
  class?: string;
  /** The status sent to the client; absent if the client disconnected first. */
  status?: number;
  attempts?: number;
};

/** A request that is traced. */
export type Trace = Readonly<{
  /** Sent to the upstream, whose spans then join this trace. */
  traceparent: string;
  /** True if the client's trace continues; false if a new trace begins here. */
  isContinued: boolean;
  facts: TraceFacts;
  /** Must be called once. */
  end: (durationMs: number) => void;
}>;

export type Tracer = Readonly<{
  /** Null for a request that is not sampled. `startedMs` is epoch time. */
  begin: (traceparent: string | undefined, startedMs: number) => Trace | null;
  source: Source;
  /** Sends the queued spans within `limitMs`. */
  close: (limitMs: number) => Promise<void>;
}>;

export type TracerOptions = Readonly<{
  /** Base address of an OTLP/HTTP collector, or its full address for traces. */
  endpoint: string;
  /**
   * Restricts the collector's addresses. Without it, only addresses that are never dialled are
   * forbidden.
   */
  guard?: Guard;
  sampleOneIn: number;
  serviceName: string;
  version: string;
  log: Log;
  /** The interval between batches. */
  delayMs?: number;
  /** The most queued spans; more are dropped and counted. */
  queuedMax?: number;
}>;

/**
 * The headers for the upstream, alternating names and values, with this trace in place of the
 * client's.
 */
export function tracedHeaders(headers: readonly string[], trace: Trace): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    // Vendor data in tracestate belongs to the trace that it came with.
    if (name === 'traceparent' || (name === 'tracestate' && !trace.isContinued)) continue;
    kept.push(name, headers[index + 1] ?? '');
  }
  kept.push('traceparent', trace.traceparent);
  return kept;
}
