// Which requests are traced (specification, "Logs, metrics, traces"): a counting sampler, after what was decided upstream.

import { readTraceParent } from './trace-context.ts';
import type { TraceParent } from './trace-context.ts';
import type { Trace, Tracer } from './trace.ts';

/** Where spans are made. Null makes one that begins a trace. */
export type StartSpan = (parent: TraceParent | null, startedMs: number) => Trace;

/** An upstream decision is honoured; of the other requests exactly one in `oneIn` is traced, the first one first. */
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
