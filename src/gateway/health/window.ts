// The context window of a model: what its endpoints say of themselves counts before what is stored of the model, and the smallest
// counts for all, because any of them may be asked (specification, "Limits": context window reported).

import type { CompiledModel } from '../../snapshot/compile/models.ts';
import type { BackendState } from '../backend-state.ts';

/** In tokens; null when none is known. Asked on the request path. */
export function windowOf(
  { contextLength }: CompiledModel,
  states: readonly BackendState[],
): number | null {
  if (states.length === 0) return contextLength;
  let least: number | null = null;
  for (const { backend, endpoint } of states) {
    least = smaller(least, endpoint.windows.get(backend.upstreamModel) ?? contextLength);
  }
  return least;
}

/** Of those that are known. */
export const smallestWindow = (windows: readonly (number | null)[]): number | null =>
  windows.reduce(smaller, null);

const smaller = (a: number | null, b: number | null): number | null =>
  a === null || (b !== null && b < a) ? b : a;
