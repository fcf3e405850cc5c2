// Checks jumps between frontend models. A jump that would form a loop is rejected when it is
// written (Gateway rule 1).

import type { FrontendModel } from '../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { FrontendModelId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

type Origin = Pick<FrontendModel, 'id' | 'name'>;

/** Null if the jump is valid. */
export function refuseJump(
  state: ConfigState,
  origin: Origin,
  to: FrontendModelId,
): Refusal | null {
  const param = 'jump_to';
  if (to === origin.id) {
    return refuse('invalid', `jump_to ${to} is the frontend model of the rule itself`, { param });
  }
  if (!state.frontend_model.byId.has(to)) {
    return refuse('invalid', `jump_to ${to} does not exist`, { param });
  }
  const way = wayBack(state, origin.id, to);
  if (way === null) return null;
  const names = [origin.id, ...way, origin.id].map((id) => nameOf(state, id, origin));
  return refuse('invalid', `jump_to ${to} would close the loop ${names.join(' > ')}`, { param });
}

/** The path of jumps from `start` to `goal`, without the goal; null if there is none. */
function wayBack(
  state: ConfigState,
  goal: FrontendModelId,
  start: FrontendModelId,
): readonly FrontendModelId[] | null {
  const cameFrom = new Map<FrontendModelId, FrontendModelId | null>([[start, null]]);
  // Breadth first: iterating a map also visits entries added during the iteration.
  for (const id of cameFrom.keys()) {
    for (const next of destinations(state, id)) {
      if (next === goal) return wayTo(cameFrom, id);
      if (!cameFrom.has(next)) cameFrom.set(next, id);
    }
  }
  return null;
}

const destinations = (state: ConfigState, id: FrontendModelId): readonly FrontendModelId[] =>
  (state.frontend_model.byId.get(id)?.rules ?? []).flatMap(({ jump_to }) => jump_to ?? []);

function wayTo(
  cameFrom: ReadonlyMap<FrontendModelId, FrontendModelId | null>,
  id: FrontendModelId,
): readonly FrontendModelId[] {
  const before = cameFrom.get(id) ?? null;
  return before === null ? [id] : [...wayTo(cameFrom, before), id];
}

const nameOf = (state: ConfigState, id: FrontendModelId, origin: Origin): string =>
  id === origin.id ? origin.name : (state.frontend_model.byId.get(id)?.name ?? String(id));
