// Decides a restore: ordinary events that change the current state into a past one, completely or for a few entities. Nothing in the
// log is undone.
//
// Deleted entities are created again under their old ids, then everything is set to its old values, then newer entities are deleted.
// So no event references a missing entity.

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
  target: ConfigState;
  /** The streams of the entities to restore. Null restores all. */
  only: readonly string[] | null;
  /** Streams that stay unchanged while all others are restored. Empty if `only` is set. */
  except: readonly string[];
  facts: RestoreFacts;
}>;

/** `entity` is its stream. */
export type Missing = Loss & Readonly<{ entity: string }>;

export type RestorePlan = Readonly<{
  events: readonly GwEvent[];
  state: ConfigState;
  conflicts: readonly Conflict[];
  missing: readonly Missing[];
}>;

export function decideRestore(state: ConfigState, command: RestoreCommand): Decision {
  const { events, conflicts } = planRestore(state, command);
  if (conflicts.length === 0) return events;
  const named = conflicts.map(({ entity, message }) => `${entity}: ${message}`);
  const { what, param } = howOf(command);
  return refuse('conflict', `${what}: ${listed(named)}`, { param });
}

function howOf({ only, except }: RestoreCommand): Readonly<{ what: string; param: string }> {
  const complete = 'the configuration cannot be restored completely';
  if (except.length > 0) return { what: `${complete} except for these`, param: 'except' };
  const what =
    only === null
      ? `${complete}; list the entities to restore in only`
      : 'the entities in only cannot be restored alone';
  return { what, param: 'only' };
}

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

/**
 * References that kept the name of a restored model point to it again, as for a new model of that
 * name.
 */
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
 * Finds excepted entities that would be deleted with another entity or lose a reference, and names
 * that match no entity.
 */
const notKept = (
  before: ConfigState,
  after: ConfigState,
  { target, except }: RestoreCommand,
): Conflict[] =>
  except.flatMap((entity) => {
    const isLost = stands(before, entity) && !stands(after, entity);
    const message = isLost ? 'it would be deleted with the entity that it belongs to' : neverThere;
    const isUnknown = !stands(before, entity) && !stands(target, entity);
    if (isLost || isUnknown) return [{ entity, needs: null, message }];
    return lostBy(before, after, entity);
  });

const neverThere = 'it exists neither now nor in the restored state';

function stands(state: ConfigState, stream: string): boolean {
  const { noun, id } = parseStream(stream);
  return noun === 'settings' || state[noun].byId.has(id);
}

const standing = (on: Unfolding, streams: ReadonlySet<string>): string[] =>
  [...streams].filter((stream) => stands(on.state(), stream));
