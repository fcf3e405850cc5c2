// The rules of a restore: ordinary events that lead from the state as it is to one of the past, whole or for a few entities. What was
// is written once more; nothing in the log is undone.
//
// Entities that are gone are made again under their old ids, then everything is changed to what it was, then what was not there is
// deleted: so no event refers to what does not stand.

import { parseStream, streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import { differingIds } from '../../projections/config/id-map.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { modelId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import { listed } from '../lib/text.ts';
import type { Decision } from './decision.ts';
import { removeAll, streamsOf } from './reconcile/removal.ts';
import { createUnfolding } from './reconcile/unfolding.ts';
import type { Unfolding } from './reconcile/unfolding.ts';
import { referencesFound } from './model-reference.ts';
import { conflictsIn, lostBy, twinsIn } from './restore/conflicts.ts';
import type { Conflict } from './restore/conflicts.ts';
import type { Loss, Restored, RestoreFacts } from './restore/kind.ts';
import { kinds } from './restore/kinds.ts';

export type RestoreCommand = Readonly<{
  type: 'RestoreSnapshot';
  /** The state that comes back. */
  target: ConfigState;
  /** The streams of the entities that are restored, others stay as they are; null: all of them. */
  only: readonly string[] | null;
  /** The streams of the entities that stay as they are while all others are restored; none where `only` names those that are. */
  except: readonly string[];
  facts: RestoreFacts;
}>;

/** `entity` is its stream. */
export type Missing = Loss & Readonly<{ entity: string }>;

export type RestorePlan = Readonly<{
  events: readonly GwEvent[];
  /** Behind the events. */
  state: ConfigState;
  conflicts: readonly Conflict[];
  missing: readonly Missing[];
}>;

export function decideRestore(state: ConfigState, command: RestoreCommand): Decision {
  const { events, conflicts } = planRestore(state, command);
  if (conflicts.length === 0) return events;
  const named = conflicts.map(({ entity, message }) => `${entity}: ${message}`);
  const { what, param } = howOf(command);
  return refuse('conflict', `this cannot be restored ${what}: ${listed(named)}`, { param });
}

function howOf({ only, except }: RestoreCommand): Readonly<{ what: string; param: string }> {
  if (except.length > 0) return { what: 'without what except names', param: 'except' };
  const what = only === null ? 'whole; name what else in only' : 'alone';
  return { what, param: 'only' };
}

/** The streams of the entities that a restore brings to what they were. */
export function restoredStreams(
  state: ConfigState,
  { target, only, except }: Omit<RestoreCommand, 'type' | 'facts'>,
): readonly string[] {
  if (only !== null) return only;
  const kept = new Set(except);
  return differingStreams(state, target).filter((stream) => !kept.has(stream));
}

export function planRestore(state: ConfigState, command: RestoreCommand): RestorePlan {
  const { target, only, except, facts } = command;
  const on = createUnfolding(state);
  const chosen = new Set(restoredStreams(state, command));
  const restored = kinds.flatMap(({ noun, of }) =>
    streamsOf(chosen, noun).flatMap(({ stream, id }) => {
      const back = of(target, id, facts);
      return back === null ? [] : { stream, back };
    }),
  );
  const missing = restored.flatMap(({ stream, back }) =>
    back.losses(state).map(({ field, reason }) => ({ entity: stream, field, reason })),
  );
  takeAll(on, restored, ({ back }) => back.created(on.state()));
  takeAll(on, restored, ({ back }) => back.changed(on.state()));
  const kept = new Set(restored.map(({ stream }) => stream));
  const gone = [...chosen].filter((stream) => !kept.has(stream));
  const refused = removeAll(on, gone).map(({ stream: entity, message }) => ({
    entity,
    needs: null,
    message,
  }));
  const isWhole = only === null && except.length === 0;
  if (!isWhole) findModels(on, chosen);
  const conflicts = isWhole
    ? [...refused, ...twinsIn(on.state(), target, standing(on, kept))]
    : [
        ...unknown(state, gone),
        ...notKept(state, on.state(), command),
        ...refused,
        ...conflictsIn(on.state(), standing(on, kept)),
      ];
  return { events: on.events(), state: on.state(), conflicts, missing };
}

/** The streams of the entities that are not one and the same in both. */
export const differingStreams = (one: ConfigState, other: ConfigState): string[] =>
  kinds.flatMap(({ noun }) =>
    differingIds(one[noun].byId, other[noun].byId).map((id) => streamOf(noun, id)),
  );

type Own = Readonly<{ stream: string; back: Restored }>;

function takeAll(
  on: Unfolding,
  restored: readonly Own[],
  eventsOf: (own: Own) => readonly GwEvent[],
): void {
  for (const own of restored) on.take(eventsOf(own));
}

/** What has kept the name of a model that came back refers to it again, as when a model of that name is made. */
function findModels(on: Unfolding, chosen: ReadonlySet<string>): void {
  for (const { id } of streamsOf(chosen, 'model')) {
    const model = on.state().model.byId.get(id);
    if (model !== undefined) {
      on.take(referencesFound(on.state(), { id: modelId.parse(id), name: model.name }));
    }
  }
}

const unknown = (state: ConfigState, gone: readonly string[]): Conflict[] =>
  gone
    .filter((stream) => !stands(state, stream))
    .map((entity) => ({ entity, needs: null, message: neverThere }));

/**
 * What was to stay as it is and goes with something else, or loses what it refers to; and what is nothing to be kept: a slip in its name.
 */
const notKept = (
  before: ConfigState,
  after: ConfigState,
  { target, except }: RestoreCommand,
): Conflict[] =>
  except.flatMap((entity) => {
    const isLost = stands(before, entity) && !stands(after, entity);
    const message = isLost ? 'it would go with what it belongs to' : neverThere;
    const isUnknown = !stands(before, entity) && !stands(target, entity);
    if (isLost || isUnknown) return [{ entity, needs: null, message }];
    return lostBy(before, after, entity);
  });

const neverThere = 'it is neither there now nor was it then';

function stands(state: ConfigState, stream: string): boolean {
  const { noun, id } = parseStream(stream);
  return noun === 'settings' || state[noun].byId.has(id);
}

const standing = (on: Unfolding, streams: ReadonlySet<string>): string[] =>
  [...streams].filter((stream) => stands(on.state(), stream));
