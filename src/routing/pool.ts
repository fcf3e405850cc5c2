// A pool expands in place: first the member that its policy chooses, then the others in their order, of which those that
// are not ready come last (Gateway rule 3). Members that the caller may not invoke are left out.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
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
  const chosen = pickMember(pool.policy, {
    loads,
    ids,
    weights,
    key:
      pool.policy === 'round-robin' ? 0 : mixKey(request.conversationKey(), mixKey(pool.id, part)),
    turn: live.turnOf(pool),
    affinity: live.affinity,
    nowMs,
  });
  const expanded = [members[chosen] ?? only];
  for (const ready of [true, false]) {
    for (const [index, model] of members.entries()) {
      const load = loads[index];
      const isItsTurn = load !== undefined && isReady(load, nowMs) === ready;
      if (index !== chosen && isItsTurn) expanded.push(model);
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
