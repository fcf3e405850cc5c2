// The candidates of a request in the order in which they are tried (Gateway rules 2 to 4): targets
// in order with pools expanded in place, then the deployment's fallback. A candidate without a
// grant is dropped; the chain is never widened.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { isOut } from '../snapshot/compile/targets.ts';
import type { CompiledTarget } from '../snapshot/compile/targets.ts';
import { isUp } from './load.ts';
import { expandPool } from './pool.ts';
import type { Asking } from './request.ts';

export type Chain = Readonly<{
  candidates: readonly CompiledModel[];
  /** The candidate that is there only as the fallback. */
  fallback: CompiledModel | null;
  /** When there is no candidate: the first that is out of rotation, of those that the caller may invoke. */
  out: CompiledModel | null;
  /** When there is no candidate: the first that was dropped because the caller may not invoke it. */
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
  for (const target of targets) {
    if (target.kind === 'model') add(candidates, target.model, caller);
    else for (const model of expandPool(target, asking)) add(candidates, model, caller);
  }
  const { fallback, tokens } = options;
  const isFallbackAdded = fallback !== null && add(candidates, fallback, caller);
  if (candidates.length === 0) {
    return { candidates, fallback: null, ...emptyChainReason(targets, fallback, caller) };
  }
  return {
    candidates: demote(candidates, asking, tokens),
    fallback: isFallbackAdded ? fallback : null,
    out: null,
    ungranted: null,
  };
}

/** False when it is there already, nothing serves it, or the caller may not invoke it. */
function add(candidates: CompiledModel[], model: CompiledModel, caller: Caller): boolean {
  if (model.backends.length === 0 || !mayInvoke(caller, model)) return false;
  if (candidates.includes(model)) return false;
  candidates.push(model);
  return true;
}

/** What nothing is attached to is passed over. */
function emptyChainReason(
  targets: readonly CompiledTarget[],
  fallback: CompiledModel | null,
  caller: Caller,
): Pick<Chain, 'out' | 'ungranted'> {
  const named = targets.flatMap((target) =>
    target.kind === 'model' ? [target.model] : [...target.members, ...target.out],
  );
  const attached = [...named, ...(fallback === null ? [] : [fallback])].filter(
    ({ isAttached }) => isAttached,
  );
  return {
    out: attached.find((model) => isOut(model) && mayInvoke(caller, model)) ?? null,
    ungranted: attached.find((model) => !mayInvoke(caller, model)) ?? null,
  };
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
  const isSmall = (model: CompiledModel): boolean => {
    const window = tokens === 0 ? null : live.windowOf(model);
    return window !== null && window < tokens;
  };
  const isDown = (model: CompiledModel): boolean => {
    for (const load of live.backendsOf(model)) if (isUp(load, request.nowMs)) return false;
    return true;
  };
  if (!candidates.some((model) => isSmall(model) || isDown(model))) return candidates;
  const ranks = candidates.map((model) => (isSmall(model) ? 2 : 0) + (isDown(model) ? 1 : 0));
  return [0, 1, 2, 3].flatMap((rank) => candidates.filter((_, index) => ranks[index] === rank));
}
