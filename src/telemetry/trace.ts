// Traces: one span a request, and which requests have one (specification, "Logs, metrics, traces").

import type { Guard } from '../egress/egress.ts';
import type { Log } from './log.ts';
import type { Source } from './scrape.ts';

/** What a span says of its request: never its body, its caller or a credential. */
export type TraceFacts = {
  /** As it was asked for. */
  model?: string;
  served_model?: string;
  /** The address of the endpoint that answered. */
  backend?: string;
  route?: string;
  stream?: boolean;
  /** The prompt class. */
  class?: string;
  /** What the client was answered; absent when it left before. */
  status?: number;
  attempts?: number;
};

/** One request that is traced. */
export type Trace = Readonly<{
  /** For the upstream, which thereby becomes a part of it. */
  traceparent: string;
  /** The client's trace goes on; else a new one begins here. */
  isContinued: boolean;
  facts: TraceFacts;
  /** Told once. */
  end: (durationMs: number) => void;
}>;

export type Tracer = Readonly<{
  /** Null for a request that is not sampled. `startedMs` is epoch time. */
  begin: (traceparent: string | undefined, startedMs: number) => Trace | null;
  source: Source;
  /** Sends what is queued, for at most so long. */
  close: (limitMs: number) => Promise<void>;
}>;

export type TracerOptions = Readonly<{
  /** Base address of an OTLP/HTTP collector, or the address for traces itself. */
  endpoint: string;
  /** Where the collector may be; everywhere but what is never dialled when absent. */
  guard?: Guard;
  sampleOneIn: number;
  serviceName: string;
  version: string;
  log: Log;
  /** Spans leave so often. */
  delayMs?: number;
  /** More wait for no collector: they are dropped and counted. */
  queuedMax?: number;
}>;

/** The request's headers to the upstream, names and values in turn, with this trace in place of the client's. */
export function tracedHeaders(headers: readonly string[], trace: Trace): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    // What vendors keep beside a trace belongs to that trace alone.
    if (name === 'traceparent' || (name === 'tracestate' && !trace.isContinued)) continue;
    kept.push(name, headers[index + 1] ?? '');
  }
  kept.push('traceparent', trace.traceparent);
  return kept;
}
