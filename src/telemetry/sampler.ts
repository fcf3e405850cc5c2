// Decides which requests are traced (specification, "Logs, metrics, traces"). A counter selects
// them, unless the upstream trace has decided already.

import { readTraceParent } from './trace-context.ts';
import type { TraceParent } from './trace-context.ts';
import type { Trace, Tracer } from './trace.ts';

/** A null parent begins a new trace. */
export type StartSpan = (parent: TraceParent | null, startedMs: number) => Trace;

/**
 * Follows an upstream decision. Of the other requests, traces exactly one in `oneIn`, starting with
 * the first.
 */
export function createSampler(oneIn: number, start: StartSpan): Tracer['begin'] {
  let undecided = 0;
  return (traceparent, startedMs) => {
    const parent = readTraceParent(traceparent);
    if (parent !== null) return parent.isSampled ? start(parent, startedMs) : null;
    const isChosen = undecided === 0;
    undecided = (undecided + 1) % oneIn;
    return isChosen ? start(null, startedMs) : null;
  };
}
