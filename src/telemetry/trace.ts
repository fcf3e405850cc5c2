// Defines traces: one span per traced request (specification, "Logs, metrics, traces").

import type { Guard } from '../egress/egress.ts';
import type { Log } from './log.ts';
import type { Source } from './scrape.ts';

/** Never the body, the caller or a credential. */
export type TraceFacts = {
  /** The requested model. */
  model?: string;
  served_model?: string;
  /** The endpoint that answered. */
  backend?: string;
  route?: string;
  stream?: boolean;
  class?: string;
  /** Absent if the client disconnected first. */
  status?: number;
  attempts?: number;
};

/** A request that is traced. */
export type Trace = Readonly<{
  /** Sent to the upstream, whose spans then join this trace. */
  traceparent: string;
  /** False if a new trace begins here. */
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
  /** Without it, only addresses that are never dialled are forbidden. */
  guard?: Guard;
  sampleOneIn: number;
  serviceName: string;
  version: string;
  log: Log;
  /** The interval between batches. */
  delayMs?: number;
  /** More spans are dropped and counted. */
  queuedMax?: number;
}>;

/** Alternating names and values for the upstream, with this trace in place of the client's. */
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
