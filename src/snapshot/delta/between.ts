// Computes what changed between two snapshots. Members that both share are the same objects, so
// that a comparison of unchanged lists costs one pointer for each member.

import { canonicalJson } from '../../lib/canonical-json.ts';
import type { BudgetUse, Snapshot, SnapshotApiKey, SnapshotProvider } from '../schema.ts';
import type { SnapshotChanges } from './delta.ts';

/** `missing` are the refs whose secret could not be read. A later snapshot may have them. */
export type Readable = Readonly<{ snapshot: Snapshot; missing: readonly string[] }>;

export function changesBetween(base: Readable, next: Readable): SnapshotChanges {
  const { version, config_hash, log, config: to, classifier, overlay } = next.snapshot;
  const { config: from, ...before } = base.snapshot;
  const config = {
    principals: changedList(from.principals, to.principals),
    roles: changedList(from.roles, to.roles),
    api_keys: changedList(from.api_keys, to.api_keys),
    providers: changedList(from.providers, to.providers),
    models: changedList(from.models, to.models),
    frontend_models: changedList(from.frontend_models, to.frontend_models),
    pools: changedList(from.pools, to.pools),
    prompt_classes: changedList(from.prompt_classes, to.prompt_classes),
  };
  return {
    version,
    config_hash,
    log,
    config,
    settings: changedPart(from.settings, to.settings),
    classifier: changedPart(before.classifier, classifier),
    secrets: changedSecrets(base, next, config),
    overlay: {
      seq: overlay.seq,
      budgets: changedMembers(before.overlay.budgets, overlay.budgets, principalOf),
      tokens: changedPart(before.overlay.tokens, overlay.tokens),
      dropped_providers: changedPart(before.overlay.dropped_providers, overlay.dropped_providers),
    },
  };
}

type Change<Member> = Readonly<{ set: readonly Member[]; removed: readonly number[] }>;

const idOf = ({ id }: Readonly<{ id: number }>): number => id;
const principalOf = ({ principal_id: id }: BudgetUse): number => id;

function changedList<Member extends Readonly<{ id: number }>>(
  before: readonly Member[],
  next: readonly Member[],
): Change<Member> | undefined {
  const change = changedMembers(before, next, idOf);
  return change.set.length === 0 && change.removed.length === 0 ? undefined : change;
}

/** Both lists are in the order of their ids. */
function changedMembers<Member>(
  before: readonly Member[],
  next: readonly Member[],
  idOfMember: (member: Member) => number,
): Change<Member> {
  const set: Member[] = [];
  const removed: number[] = [];
  let at = 0;
  for (const member of next) {
    const id = idOfMember(member);
    let held = before[at];
    while (held !== undefined && held !== member && idOfMember(held) < id) {
      removed.push(idOfMember(held));
      held = before[++at];
    }
    if (held !== undefined && (held === member || idOfMember(held) === id)) at++;
    else held = undefined;
    if (held === undefined || !isSame(held, member)) set.push(member);
  }
  for (const member of before.slice(at)) removed.push(idOfMember(member));
  return { set, removed };
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || canonicalJson(one) === canonicalJson(other);

const changedPart = <Part>(before: Part, next: Part): Part | undefined =>
  isSame(before, next) ? undefined : next;

/** Only members that changed, and secrets that could not be read before, are compared. */
function changedSecrets(
  base: Readable,
  next: Readable,
  { api_keys: keys, providers }: SnapshotChanges['config'],
): SnapshotChanges['secrets'] {
  const before = base.snapshot;
  const set: Record<string, string> = {};
  for (const ref of [
    ...refsOf({ api_keys: keys?.set, providers: providers?.set }),
    ...base.missing,
  ]) {
    const secret = next.snapshot.secrets[ref];
    if (secret !== undefined && secret !== before.secrets[ref]) set[ref] = secret;
  }
  const left = refsOf({
    api_keys: withIds(before.config.api_keys, keys),
    providers: withIds(before.config.providers, providers),
  });
  const removed = [...left, ...next.missing].filter(
    (ref) => ref in before.secrets && !(ref in next.snapshot.secrets),
  );
  return { set, removed: [...new Set(removed)] };
}

type Referring = Readonly<{
  api_keys: readonly SnapshotApiKey[] | undefined;
  providers: readonly SnapshotProvider[] | undefined;
}>;

const refsOf = ({ api_keys: keys = [], providers = [] }: Referring): string[] => [
  ...keys.map((key) => key.verifier_ref),
  ...providers.flatMap((provider) => provider.credential_ref ?? []),
];

/** The members that the change replaces or removes. */
function withIds<Member extends Readonly<{ id: number }>>(
  members: readonly Member[],
  change: Change<Member> | undefined,
): readonly Member[] {
  if (change === undefined) return [];
  const ids = new Set<number>([...change.set.map(idOf), ...change.removed]);
  return members.filter(({ id }) => ids.has(id));
}
