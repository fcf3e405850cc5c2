// The candidates of a request in the order in which they are tried (Gateway rules 2 to 4): targets
// in order with pools expanded in place, then the deployment's fallback. A candidate without a
// grant is dropped; the chain is never widened.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledTarget } from '../snapshot/compile/targets.ts';
import { isUp } from './load.ts';
import { expandPool } from './pool.ts';
import type { Asking } from './request.ts';

export type Chain = Readonly<{
  candidates: readonly CompiledModel[];
  /** The candidate that is there only as the fallback. */
  fallback: CompiledModel | null;
  /** The first that was dropped because the caller may not invoke it. */
  ungranted: CompiledModel | null;
}>;

export type ChainOptions = Readonly<{
  fallback: CompiledModel | null;
  /** Tokens that the request may come to; 0 does not ask for a window. */
  tokens: number;
}>;

export function buildChain(
  targets: readonly CompiledTarget[],
  asking: Asking,
  options: ChainOptions,
): Chain {
  const { caller } = asking;
  const candidates: CompiledModel[] = [];
  let ungranted: CompiledModel | null = null;
  const add = (model: CompiledModel): boolean => {
    if (model.backends.length === 0 || candidates.includes(model)) return false;
    const isGranted = mayInvoke(caller, model);
    if (isGranted) candidates.push(model);
    else ungranted ??= model;
    return isGranted;
  };
  for (const target of targets) {
    if (target.kind === 'model') {
      add(target.model);
      continue;
    }
    for (const model of expandPool(target, asking)) add(model);
    ungranted ??= target.members.find((model) => !mayInvoke(caller, model)) ?? null;
  }
  const fallback = options.fallback !== null && add(options.fallback) ? options.fallback : null;
  return { candidates: demote(candidates, asking, options.tokens), fallback, ungranted };
}

/**
 * Candidates that cannot be reached now go behind those that can, and those whose window is known
 * to be too small go last: an upstream's 400 for a prompt that is too long would end the chain.
 * None is dropped, because both judgements are guesses.
 */
function demote(
  candidates: readonly CompiledModel[],
  { live, request }: Asking,
  tokens: number,
): readonly CompiledModel[] {
  if (candidates.length < 2) return candidates;
  const isSmall = ({ contextLength }: CompiledModel): boolean =>
    contextLength !== null && contextLength < tokens;
  const isDown = (model: CompiledModel): boolean => {
    for (const load of live.backendsOf(model)) if (isUp(load, request.nowMs)) return false;
    return true;
  };
  const ranks = candidates.map((model) => (isSmall(model) ? 2 : 0) + (isDown(model) ? 1 : 0));
  if (ranks.every((rank) => rank === 0)) return candidates;
  return [0, 1, 2, 3].flatMap((rank) => candidates.filter((_, index) => ranks[index] === rank));
}
