// A pool expands in place: first the member that its policy chooses, then the others in their order, of which those that
// are not ready come last, and then those of weight 0 (Gateway rule 3). Members that the caller may not invoke are left out.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { servingCount } from '../snapshot/compile/targets.ts';
import type { CompiledPool } from '../snapshot/compile/targets.ts';
import { mixKey } from './hash.ts';
import { isReady, loadOfModel } from './load.ts';
import { pickMember } from './policy/pick.ts';
import type { Asking } from './request.ts';

export function expandPool(pool: CompiledPool, asking: Asking): readonly CompiledModel[] {
  const { caller, request, live } = asking;
  const { members, weights, ids, part } = membersFor(pool, caller);
  const [only] = members;
  if (members.length <= 1 || only === undefined) return members;
  const { nowMs } = request;
  const loads = members.map((model) => loadOfModel(live.backendsOf(model), nowMs));
  const serving = servingCount(weights);
  const isDrained = serving < members.length;
  const chosen = pickMember(pool.policy, {
    loads: isDrained ? loads.slice(0, serving) : loads,
    ids: isDrained ? ids.slice(0, serving) : ids,
    weights: isDrained ? weights.slice(0, serving) : weights,
    key:
      pool.policy === 'round-robin' ? 0 : mixKey(request.conversationKey(), mixKey(pool.id, part)),
    turn: live.turnOf(pool),
    affinity: live.affinity,
    nowMs,
  });
  const expanded = [members[chosen] ?? only];
  for (let rank = 0; rank < (isDrained ? 4 : 2); rank++) {
    for (const [index, model] of members.entries()) {
      const load = loads[index];
      if (index === chosen || load === undefined) continue;
      const ofIndex = (index < serving ? 0 : 2) + (isReady(load, nowMs) ? 0 : 1);
      if (ofIndex === rank) expanded.push(model);
    }
  }
  return expanded;
}

/**
 * `part` tells the sets of members of one pool apart, so that a caller who may not use all of them
 * does not move the conversations of others.
 */
function membersFor(pool: CompiledPool, caller: Caller) {
  const { ids, weights: allWeights } = pool;
  if (pool.members.every((model) => mayInvoke(caller, model))) {
    return { members: pool.members, weights: allWeights, ids, part: 0 };
  }
  const members: CompiledModel[] = [];
  const weights: number[] = [];
  let part = 0;
  for (const [index, model] of pool.members.entries()) {
    if (mayInvoke(caller, model)) {
      members.push(model);
      weights.push(pool.weights[index] ?? 1);
    } else {
      part = mixKey(part, model.id);
    }
  }
  return { members, weights, ids: members.map(({ id }) => id), part };
}
