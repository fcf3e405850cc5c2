// Computes what changed between two snapshots. Pages and members that both share are the same
// objects, so that a comparison costs one pointer for each page, and for each member of those that
// differ.

import { canonicalJson } from '../../lib/canonical-json.ts';
import { credentialRef, keyRef, secretsOn } from '../paged.ts';
import type { PagedSnapshot, Pages } from '../paged.ts';
import type { BudgetUse } from '../schema.ts';
import type { SnapshotChanges } from './delta.ts';

/** `secretBefore` is the text before the changes, of each secret that they set or remove. */
export type Between = Readonly<{
  changes: SnapshotChanges;
  secretBefore: (ref: string) => string | undefined;
}>;

export function changesBetween(base: PagedSnapshot, next: PagedSnapshot): Between {
  const { version, config_hash, log, lists: to, settings, classifier, overlay } = next;
  const { lists: from, ...before } = base;
  const { secrets, secretBefore } = changedSecrets(base, next);
  const changes = {
    version,
    config_hash,
    log,
    config: {
      principals: changedPages(from.principals, to.principals),
      roles: changedPages(from.roles, to.roles),
      api_keys: changedPages(from.api_keys, to.api_keys),
      providers: changedPages(from.providers, to.providers),
      models: changedPages(from.models, to.models),
      frontend_models: changedPages(from.frontend_models, to.frontend_models),
      pools: changedPages(from.pools, to.pools),
      prompt_classes: changedPages(from.prompt_classes, to.prompt_classes),
    },
    settings: changedPart(before.settings, settings),
    classifier: changedPart(before.classifier, classifier),
    secrets,
    overlay: {
      seq: overlay.seq,
      budgets: changedMembers(before.overlay.budgets, overlay.budgets, principalOf),
      tokens: changedPart(before.overlay.tokens, overlay.tokens),
      dropped_providers: changedPart(before.overlay.dropped_providers, overlay.dropped_providers),
    },
  };
  return { changes, secretBefore };
}

type Change<Member> = Readonly<{ set: readonly Member[]; removed: readonly number[] }>;

const idOf = ({ id }: Readonly<{ id: number }>): number => id;
const principalOf = ({ principal_id: id }: BudgetUse): number => id;

function changedPages<Member extends Readonly<{ id: number }>>(
  before: Pages<Member>,
  next: Pages<Member>,
): Change<Member> | undefined {
  const changes = differingPages(before, next).map((number) =>
    changedMembers(before.get(number) ?? [], next.get(number) ?? [], idOf),
  );
  const set = changes.flatMap((change) => change.set);
  const removed = changes.flatMap((change) => change.removed);
  return set.length === 0 && removed.length === 0 ? undefined : { set, removed };
}

/** The numbers of pages that only one has, or that are not the same object in both. */
function differingPages(before: Pages<unknown>, next: Pages<unknown>): readonly number[] {
  if (before === next) return [];
  const numbers = [...next.keys()].filter((number) => before.get(number) !== next.get(number));
  for (const number of before.keys()) if (!next.has(number)) numbers.push(number);
  return numbers;
}

/** Both lists are in the order of their ids. */
function changedMembers<Member>(
  before: readonly Member[],
  next: readonly Member[],
  idOfMember: (member: Member) => number,
): Change<Member> {
  const set: Member[] = [];
  const removed: number[] = [];
  if (before === next) return { set, removed };
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

/** A key has a secret of its own. Providers may share one, so that all of them are compared. */
function changedSecrets(base: PagedSnapshot, next: PagedSnapshot) {
  const keys = differingPages(base.texts.api_keys, next.texts.api_keys);
  const isSameProviders = base.texts.providers === next.texts.providers;
  const secretsOf = ({ lists, texts }: PagedSnapshot): ReadonlyMap<string, string> => {
    const pages = isSameProviders ? [] : [...lists.providers.keys()];
    return new Map([
      ...keys.flatMap((one) => secretsOn(one, lists.api_keys, texts.api_keys, keyRef)),
      ...pages.flatMap((one) => secretsOn(one, lists.providers, texts.providers, credentialRef)),
    ]);
  };
  const [before, after] = [secretsOf(base), secretsOf(next)];
  const set = [...after].filter(([ref, text]) => before.get(ref) !== text);
  const removed = [...before.keys()].filter((ref) => !after.has(ref));
  return {
    secrets: { set: Object.fromEntries(set), removed },
    secretBefore: (ref: string) => before.get(ref),
  };
}
