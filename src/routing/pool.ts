// Expands a pool in place: the member that its policy chooses, then the others in order, with
// members that are not ready last, then members of weight 0 (Gateway rule 3). Omits members that
// the caller may not invoke.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { servingCount } from '../snapshot/compile/targets.ts';
import type { CompiledPool } from '../snapshot/compile/targets.ts';
import { mixKey } from './hash.ts';
import { isReady, loadOfModel } from './load.ts';
import { usesKey } from './policy/choice.ts';
import { pickMember } from './policy/pick.ts';
import type { RouteInput } from './request.ts';

export function expandPool(pool: CompiledPool, input: RouteInput): readonly CompiledModel[] {
  const { caller, request, live } = input;
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
    key: usesKey(pool.policy, loads) ? mixKey(request.conversationKey(), mixKey(pool.id, part)) : 0,
    turn: live.turnOf(pool),
    affinity: live.affinity,
    nowMs,
  });
  const expanded = [members[chosen] ?? only];
  for (let rank = 0; rank < (isDrained ? 4 : 2); rank++) {
    for (let index = 0; index < members.length; index++) {
      const model = members[index];
      const load = loads[index];
      if (index === chosen || model === undefined || load === undefined) continue;
      const ofIndex = (index < serving ? 0 : 2) + (isReady(load, nowMs) ? 0 : 1);
      if (ofIndex === rank) expanded.push(model);
    }
  }
  return expanded;
}

/** `part` identifies the subset of members, so that a caller with fewer permissions does not move the conversations of others. */
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
