// Builds the candidates of a request in the order in which they are tried (Gateway rules 2 to 4):
// the targets, with pools expanded in place, then the deployment's fallback. Drops candidates
// without a grant, and adds none.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { isOut } from '../snapshot/compile/targets.ts';
import type { CompiledTarget } from '../snapshot/compile/targets.ts';
import { isUp } from './load.ts';
import { expandPool } from './pool.ts';
import type { RouteInput } from './request.ts';

export type Chain = Readonly<{
  candidates: readonly CompiledModel[];
  /** The candidate that was added only as the fallback. */
  fallback: CompiledModel | null;
  /** If there is no candidate: the first model out of rotation that the caller may invoke. */
  out: CompiledModel | null;
  /** If there is no candidate: the first model that the caller may not invoke. */
  ungranted: CompiledModel | null;
}>;

export type ChainOptions = Readonly<{
  fallback: CompiledModel | null;
  /** An estimate. 0 disables the check of context windows. */
  tokens: number;
}>;

export function buildChain(
  targets: readonly CompiledTarget[],
  input: RouteInput,
  options: ChainOptions,
): Chain {
  const { caller } = input;
  const candidates: CompiledModel[] = [];
  for (const target of targets) {
    if (target.kind === 'model') add(candidates, target.model, caller);
    else for (const model of expandPool(target, input)) add(candidates, model, caller);
  }
  const { fallback, tokens } = options;
  const isFallbackAdded = fallback !== null && add(candidates, fallback, caller);
  if (candidates.length === 0) {
    return { candidates, fallback: null, ...emptyChainReason(targets, fallback, caller) };
  }
  return {
    candidates: demote(candidates, input, tokens),
    fallback: isFallbackAdded ? fallback : null,
    out: null,
    ungranted: null,
  };
}

/**
 * Returns false for a duplicate, a model without backends, or one that the caller may not invoke.
 */
function add(candidates: CompiledModel[], model: CompiledModel, caller: Caller): boolean {
  if (model.backends.length === 0 || !mayInvoke(caller, model)) return false;
  if (candidates.includes(model)) return false;
  candidates.push(model);
  return true;
}

/** Ignores models that are not attached to a provider. */
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
 * Moves unreachable candidates after reachable ones, and candidates whose known context window is
 * too small to the end, because a 400 for a long prompt would end the chain. Drops none, because
 * both checks are estimates.
 */
function demote(
  candidates: readonly CompiledModel[],
  { live, request }: RouteInput,
  tokens: number,
): readonly CompiledModel[] {
  if (candidates.length < 2) return candidates;
  let isDemoted = false;
  for (const model of candidates) {
    isDemoted ||= isSmall(model, live, tokens) || isDown(model, live, request.nowMs);
  }
  if (!isDemoted) return candidates;
  const ranks = candidates.map(
    (model) =>
      (isSmall(model, live, tokens) ? 2 : 0) + (isDown(model, live, request.nowMs) ? 1 : 0),
  );
  return [0, 1, 2, 3].flatMap((rank) => candidates.filter((_, index) => ranks[index] === rank));
}

function isSmall(model: CompiledModel, live: RouteInput['live'], tokens: number): boolean {
  const window = tokens === 0 ? null : live.windowOf(model);
  return window !== null && window < tokens;
}

function isDown(model: CompiledModel, live: RouteInput['live'], nowMs: number): boolean {
  for (const load of live.backendsOf(model)) if (isUp(load, nowMs)) return false;
  return true;
}
