// Adds attributes to a request's span (specification, "Logs, metrics, traces"): the requested and served model, the
// backend, streaming, the status and the attempts. Never the body, the caller or a credential.

import type { PromptClassId } from '../lib/ids.ts';
import type { CompiledSnapshot } from '../snapshot/compile.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { Peeked } from './body/peek.ts';
import type { Step } from './plan.ts';
import type { Exchange } from './transport/boundary.ts';

export function beginTrace(tracer: Tracer, exchange: Exchange): void {
  exchange.trace = tracer.begin(exchange.anyHeader('traceparent'), exchange.startedMs);
}

export function noteRequest({ trace }: Exchange, { model, isStream }: Peeked): void {
  if (trace === null) return;
  trace.facts.model = model;
  trace.facts.stream = isStream;
}

export function noteClass(
  { trace }: Exchange,
  { promptClasses }: CompiledSnapshot,
  promptClass: PromptClassId | null,
): void {
  const name = promptClasses.find(({ id }) => id === promptClass)?.name;
  if (trace !== null && name !== undefined) trace.facts.class = name;
}

/** `status` is null when the client received no head. */
export function noteServed(
  { trace }: Exchange,
  { route, model, backend }: Step,
  { status, attempts }: Readonly<{ status: number | null; attempts: number }>,
): void {
  if (trace === null) return;
  trace.facts.served_model = model.model.name;
  trace.facts.backend = backend.backend.apiBase;
  trace.facts.route = route;
  trace.facts.attempts = attempts;
  if (status !== null) trace.facts.status = status;
}

/** For an answer that does not come from a backend. */
export function noteAnswer({ trace }: Exchange, status: number, attempts = 0): void {
  if (trace === null) return;
  trace.facts.status = status;
  trace.facts.attempts = attempts;
}
