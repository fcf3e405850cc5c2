// Holds a snapshot in tables by id, so that a delta changes only the entries that it names.

import type { BudgetUse, Snapshot, SnapshotConfig, SnapshotOverlay } from '../schema.ts';
import type { ListName } from '../paged.ts';
import type { SnapshotDelta } from './delta.ts';

type Lists = { readonly [Name in ListName]: Map<number, SnapshotConfig[Name][number]> };

/** Owned by the process that follows. A delta changes it in place. */
export type HeldSnapshot = Pick<
  Snapshot,
  'schema' | 'version' | 'config_hash' | 'log' | 'classifier'
> & {
  readonly lists: Lists;
  settings: SnapshotConfig['settings'];
  readonly secrets: Map<string, string>;
  readonly budgets: Map<number, BudgetUse>;
  overlay: Omit<SnapshotOverlay, 'budgets'>;
};

export function holdSnapshot(snapshot: Snapshot): HeldSnapshot {
  const { config, secrets, overlay, ...head } = snapshot;
  const { budgets, ...rest } = overlay;
  return {
    ...head,
    lists: {
      principals: byId(config.principals),
      roles: byId(config.roles),
      api_keys: byId(config.api_keys),
      providers: byId(config.providers),
      models: byId(config.models),
      frontend_models: byId(config.frontend_models),
      pools: byId(config.pools),
      prompt_classes: byId(config.prompt_classes),
    },
    settings: config.settings,
    secrets: new Map(Object.entries(secrets)),
    budgets: new Map(budgets.map((use) => [use.principal_id, use])),
    overlay: rest,
  };
}

type Identified = Readonly<{ id: number }>;

const byId = <Member extends Identified>(members: readonly Member[]): Map<number, Member> =>
  new Map(members.map((member) => [member.id, member]));

/** The delta must have been verified against the digests of this snapshot. */
export function changeHeld(held: HeldSnapshot, delta: SnapshotDelta): void {
  const { version, config_hash, log, config, classifier, settings, secrets, overlay } = delta;
  const { lists } = held;
  Object.assign(held, { version, config_hash, log });
  changeList(lists.principals, config.principals);
  changeList(lists.roles, config.roles);
  changeList(lists.api_keys, config.api_keys);
  changeList(lists.providers, config.providers);
  changeList(lists.models, config.models);
  changeList(lists.frontend_models, config.frontend_models);
  changeList(lists.pools, config.pools);
  changeList(lists.prompt_classes, config.prompt_classes);
  if (settings !== undefined) held.settings = settings;
  if (classifier !== undefined) held.classifier = classifier;
  for (const ref of secrets.removed) held.secrets.delete(ref);
  for (const [ref, text] of Object.entries(secrets.set)) held.secrets.set(ref, text);
  const { seq, budgets, tokens, dropped_providers } = overlay;
  for (const id of budgets.removed) held.budgets.delete(id);
  for (const use of budgets.set) held.budgets.set(use.principal_id, use);
  held.overlay = {
    seq,
    tokens: tokens ?? held.overlay.tokens,
    dropped_providers: dropped_providers ?? held.overlay.dropped_providers,
  };
}

type Change<Member> = Readonly<{ set: readonly Member[]; removed: readonly number[] }>;

function changeList<Member extends Identified>(
  list: Map<number, Member>,
  change: Change<Member> | undefined,
): void {
  if (change === undefined) return;
  for (const id of change.removed) list.delete(id);
  for (const member of change.set) list.set(member.id, member);
}

/** The whole snapshot, with lists in the order of their ids. */
export function snapshotOf(held: HeldSnapshot): Snapshot {
  const part = routingPart(held);
  const { principals, api_keys: keys } = held.lists;
  return {
    ...part,
    config: { ...part.config, principals: inOrder(principals), api_keys: inOrder(keys) },
    secrets: Object.fromEntries(held.secrets),
    overlay: { ...held.overlay, budgets: inOrder(held.budgets) },
  };
}

/** Everything that routing tables are compiled from, which is small next to keys and principals. */
export function routingPart(held: HeldSnapshot): Snapshot {
  const { schema, version, config_hash, log, lists, settings, classifier, overlay } = held;
  const refs = [...lists.providers.values()].flatMap((one) => one.credential_ref ?? []);
  const secrets = refs.flatMap((ref) => {
    const text = held.secrets.get(ref);
    return text === undefined ? [] : [[ref, text] as const];
  });
  return {
    schema,
    version,
    config_hash,
    log,
    config: {
      principals: [],
      roles: inOrder(lists.roles),
      api_keys: [],
      providers: inOrder(lists.providers),
      models: inOrder(lists.models),
      frontend_models: inOrder(lists.frontend_models),
      pools: inOrder(lists.pools),
      prompt_classes: inOrder(lists.prompt_classes),
      settings,
    },
    secrets: Object.fromEntries(secrets),
    classifier,
    overlay: { ...overlay, budgets: [] },
  };
}

export const inOrder = <Member>(list: ReadonlyMap<number, Member>): Member[] =>
  [...list].toSorted(([a], [b]) => a - b).map(([, member]) => member);
