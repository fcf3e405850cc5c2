// How entities of one kind are brought back: what of one can be, what makes it again when it is gone, and what changes one that
// stands. Each kind's file says so of its own; the walk over all kinds knows no field of any.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { Noun } from '../../../events/nouns.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Entities } from '../../../projections/config/nouns.ts';
import type { LossReason } from '../../lib/vocabulary.ts';
import type { Decision } from '../decision.ts';
import { createdAs } from '../set-fields.ts';

/** What the states do not say, read from the vault and from the log behind the moment that is restored. */
export type RestoreFacts = Readonly<{
  /** Refs of the vault whose item is erased. */
  erased: ReadonlySet<string>;
  /** Keys that were revoked since, and not enabled again. */
  revokedKeys: ReadonlySet<number>;
  /** Admin tokens that were revoked since. */
  revokedTokens: ReadonlySet<number>;
  /** The last password that a principal was given since: its ref. */
  passwordsSet: ReadonlyMap<number, string>;
  /** Whom an identity was linked with since, by its fingerprint. */
  identitiesLinked: ReadonlyMap<string, number>;
  /** Principals whose identity somebody took from them since. */
  identitiesUnlinked: ReadonlySet<number>;
}>;

/** What does not come back. The field is called as differences call it. */
export type Loss = Readonly<{ field: string; reason: LossReason }>;

/** What of an entity can come back; null: not the entity itself. */
export type Attainable<Entity> = Readonly<{ goal: Entity | null; losses: readonly Loss[] }>;

export type Restoring<Entity> = Readonly<{
  /** `held` is the entity as it stands, `target` the state that `wanted` is of. */
  attainable: (
    wanted: Entity,
    held: Entity | undefined,
    facts: RestoreFacts,
    target: ConfigState,
  ) => Attainable<Entity>;
  /** Makes it without what refers to others: they may not stand yet. Absent where its creation says all. */
  created?: (goal: Entity) => readonly GwEvent[];
  changed: (held: Entity, goal: Entity) => readonly GwEvent[];
}>;

/** What else a restore must know of a kind. */
type Facts<Entity> = Readonly<{
  /** A name that no other entity of its name space may have; null where names need not differ. */
  name?: (entity: Entity) => string | null;
  /** The streams that an entity cannot exist without. */
  needs?: (entity: Entity) => readonly string[];
  /** Absent where nothing is deleted by itself. */
  remove?: (state: ConfigState, entity: Entity) => Decision;
}>;

/** A kind, with the type of its entities hidden. */
export type Kind = Readonly<{
  noun: Noun;
  of: (target: ConfigState, id: number, facts: RestoreFacts) => Restored | null;
  nameOf: (state: ConfigState, id: number) => string | null;
  needsOf: (state: ConfigState, id: number) => readonly string[];
  /** No events for one that is gone. */
  remove: (state: ConfigState, id: number) => Decision;
}>;

/** One entity on its way back. Each function answers for the state that it is asked on. */
export type Restored = Readonly<{
  losses: (state: ConfigState) => readonly Loss[];
  /** None when it stands. */
  created: (state: ConfigState) => readonly GwEvent[];
  /** None when it does not stand. */
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

/** For kinds that come back whole. */
export const whole = <Entity>(goal: Entity): Attainable<Entity> => ({ goal, losses: [] });
