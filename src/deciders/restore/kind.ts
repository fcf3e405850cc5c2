// Defines how entities of one kind are restored: which parts can be, and the events that create or
// change one. Each kind has a file; the common code knows no fields.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { Noun } from '../../../events/nouns.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Entities } from '../../../projections/config/nouns.ts';
import type { LossReason } from '../../lib/vocabulary.ts';
import type { Decision } from '../decision.ts';
import { createdAs } from '../set-fields.ts';

/** Read from the vault and from the log after the restored position. */
export type RestoreFacts = Readonly<{
  /** Refs of erased vault items. */
  erased: ReadonlySet<string>;
  /** Keys that were revoked since and not enabled again. */
  revokedKeys: ReadonlySet<number>;
  revokedTokens: ReadonlySet<number>;
  /** The ref of the last password set for a principal since. */
  passwordsSet: ReadonlyMap<number, string>;
  /** The principal that an identity was last linked with since, by fingerprint. */
  identitiesLinked: ReadonlyMap<string, number>;
  /** Principals whose identity was unlinked since. */
  identitiesUnlinked: ReadonlySet<number>;
}>;

/** A field that cannot be restored, named as in comparisons. */
export type Loss = Readonly<{ field: string; reason: LossReason }>;

/** `goal` is null if the entity cannot be restored. */
export type Attainable<Entity> = Readonly<{ goal: Entity | null; losses: readonly Loss[] }>;

export type Restoring<Entity> = Readonly<{
  /** `held` is the current entity; `target` is the state that contains `wanted`. */
  attainable: (
    wanted: Entity,
    held: Entity | undefined,
    facts: RestoreFacts,
    target: ConfigState,
  ) => Attainable<Entity>;
  /** Without references, which may not exist yet. Absent if the creation event is enough. */
  created?: (goal: Entity) => readonly GwEvent[];
  changed: (held: Entity, goal: Entity) => readonly GwEvent[];
}>;

type Facts<Entity> = Readonly<{
  /** Must be unique in its name space; null if it need not be. */
  name?: (entity: Entity) => string | null;
  /** The streams without which the entity cannot exist. */
  needs?: (entity: Entity) => readonly string[];
  /** Absent if entities of the kind are never deleted on their own. */
  remove?: (state: ConfigState, entity: Entity) => Decision;
}>;

export type Kind = Readonly<{
  noun: Noun;
  of: (target: ConfigState, id: number, facts: RestoreFacts) => Restored | null;
  nameOf: (state: ConfigState, id: number) => string | null;
  needsOf: (state: ConfigState, id: number) => readonly string[];
  /** No events if the entity does not exist. */
  remove: (state: ConfigState, id: number) => Decision;
}>;

/** Each function answers for the given state. */
export type Restored = Readonly<{
  losses: (state: ConfigState) => readonly Loss[];
  /** Empty if it exists. */
  created: (state: ConfigState) => readonly GwEvent[];
  /** Empty if it does not exist. */
  changed: (state: ConfigState) => readonly GwEvent[];
}>;

export function kind<N extends Noun>(
  noun: N,
  find: (state: ConfigState, id: number) => Entities[N] | undefined,
  {
    attainable: attain,
    created = (goal) => [createdAs(noun, goal)],
    changed,
    name,
    needs,
    remove,
  }: Restoring<Entities[N]> & Facts<Entities[N]>,
): Kind {
  const ask =
    <Answer>(question: ((entity: Entities[N]) => Answer) | undefined, none: Answer) =>
    (state: ConfigState, id: number): Answer => {
      const held = find(state, id);
      return held === undefined || question === undefined ? none : question(held);
    };
  return {
    noun,
    nameOf: ask<string | null>(name, null),
    needsOf: ask<readonly string[]>(needs, []),
    remove: (state, id) => {
      const held = state[noun].byId.has(id) ? find(state, id) : undefined;
      return held === undefined || remove === undefined ? [] : remove(state, held);
    },
    of: (target, id, facts) => {
      const wanted = find(target, id);
      if (wanted === undefined) return null;
      const held = (state: ConfigState) => find(state, id);
      const attainable = (state: ConfigState) => attain(wanted, held(state), facts, target);
      return {
        losses: (state) => attainable(state).losses,
        created: (state) => {
          const { goal } = attainable(state);
          return goal === null || held(state) !== undefined ? [] : created(goal);
        },
        changed: (state) => {
          const { goal } = attainable(state);
          const standing = held(state);
          return goal === null || standing === undefined ? [] : changed(standing, goal);
        },
      };
    },
  };
}

export const whole = <Entity>(goal: Entity): Attainable<Entity> => ({ goal, losses: [] });
