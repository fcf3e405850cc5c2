// Merges consecutive deltas into one, so that a control plane keeps small deltas instead of old
// snapshots.

import type { SnapshotDelta } from './delta.ts';

/** Merges neighbours first, so that a member is copied few times. At least one; each leads to the base of the next. */
export function composeAll(deltas: readonly SnapshotDelta[]): SnapshotDelta {
  const [first, ...others] = deltas;
  if (first === undefined) throw new Error('there are no deltas to merge');
  if (others.length === 0) return first;
  const middle = Math.ceil(deltas.length / 2);
  return composeDeltas(composeAll(deltas.slice(0, middle)), composeAll(deltas.slice(middle)));
}

/** `first` leads to the base of `second`. */
export function composeDeltas(first: SnapshotDelta, second: SnapshotDelta): SnapshotDelta {
  const { base, config: from, secrets, overlay } = first;
  const { config: to } = second;
  const { budgets, ...rest } = second.overlay;
  return {
    ...second,
    base,
    config: {
      principals: composed(from.principals, to.principals, idOf),
      roles: composed(from.roles, to.roles, idOf),
      api_keys: composed(from.api_keys, to.api_keys, idOf),
      providers: composed(from.providers, to.providers, idOf),
      models: composed(from.models, to.models, idOf),
      frontend_models: composed(from.frontend_models, to.frontend_models, idOf),
      pools: composed(from.pools, to.pools, idOf),
      prompt_classes: composed(from.prompt_classes, to.prompt_classes, idOf),
    },
    settings: second.settings ?? first.settings,
    classifier: second.classifier ?? first.classifier,
    secrets: composedSecrets(secrets, second.secrets),
    overlay: {
      seq: rest.seq,
      budgets: composed(overlay.budgets, budgets, principalOf) ?? budgets,
      tokens: rest.tokens ?? overlay.tokens,
      dropped_providers: rest.dropped_providers ?? overlay.dropped_providers,
    },
  };
}

type Change<Member> = Readonly<{ set: readonly Member[]; removed: readonly number[] }>;

const idOf = ({ id }: Readonly<{ id: number }>): number => id;
const principalOf = ({ principal_id: id }: Readonly<{ principal_id: number }>): number => id;

function composed<Member>(
  first: Change<Member> | undefined,
  second: Change<Member> | undefined,
  idOfMember: (member: Member) => number,
): Change<Member> | undefined {
  if (first === undefined || second === undefined) return second ?? first;
  const set = new Set(second.set.map(idOfMember));
  const removed = new Set([...first.removed, ...second.removed]);
  for (const id of set) removed.delete(id);
  const kept = first.set.filter(
    (one) => !set.has(idOfMember(one)) && !removed.has(idOfMember(one)),
  );
  return { set: [...kept, ...second.set], removed: [...removed] };
}

type Secrets = SnapshotDelta['secrets'];

function composedSecrets(first: Secrets, second: Secrets): Secrets {
  const removed = new Set([...first.removed, ...second.removed]);
  const gone = new Set(second.removed);
  const kept = Object.entries(first.set).filter(([ref]) => !gone.has(ref));
  const set = { ...Object.fromEntries(kept), ...second.set };
  for (const ref of Object.keys(set)) removed.delete(ref);
  return { set, removed: [...removed] };
}
