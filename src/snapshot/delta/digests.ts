// Keeps the digests of a snapshot's parts, and moves them with a delta instead of computing them
// again. Digests cover a snapshot as it was received, with fields that this release does not know.

import type { Steps } from '../../lib/steps.ts';
import { closeDigestList, emptyDigestList, openDigestList, writeDigests } from '../digest-list.ts';
import type { DigestList } from '../digest-list.ts';
import { bucketIds, combineDigests, memberDigest } from '../hash.ts';
import type { ListName } from '../paged.ts';
import type { ReceivedDelta, ReceivedSnapshot } from './delta.ts';
import { noSecrets, rootOf, withoutSecret, withSecret } from './root.ts';
import type { RootParts } from './root.ts';

/** The parts that the hash of the configuration does not cover. `rest` is the overlay without budgets. */
export type OtherDigests = Readonly<{
  secrets: bigint;
  budgets: DigestList;
  classifier: string;
  rest: Readonly<Record<string, unknown>>;
}>;

export type SnapshotDigests = Readonly<{
  schema: number;
  lists: Readonly<Record<ListName, DigestList>>;
  settings: string;
  other: OtherDigests;
}>;

const idOf = ({ id }: Readonly<{ id: number }>): number => id;
const principalOf = ({ principal_id: id }: Readonly<{ principal_id: number }>): number => id;

/** Each step digests one page of members. */
export function* digestSteps(received: ReceivedSnapshot): Steps<SnapshotDigests> {
  const { schema, config, secrets } = received;
  const lists = {
    principals: yield* listSteps(config.principals, idOf),
    roles: yield* listSteps(config.roles, idOf),
    api_keys: yield* listSteps(config.api_keys, idOf),
    providers: yield* listSteps(config.providers, idOf),
    models: yield* listSteps(config.models, idOf),
    frontend_models: yield* listSteps(config.frontend_models, idOf),
    pools: yield* listSteps(config.pools, idOf),
    prompt_classes: yield* listSteps(config.prompt_classes, idOf),
  };
  const settings = memberDigest(config.settings);
  return {
    schema,
    lists,
    settings,
    other: yield* otherDigestSteps(Object.entries(secrets), received),
  };
}

export function* otherDigestSteps(
  secrets: Iterable<readonly [ref: string, text: string]>,
  { classifier, overlay: { budgets, ...rest } }: Pick<ReceivedSnapshot, 'classifier' | 'overlay'>,
): Steps<OtherDigests> {
  let sum = noSecrets;
  let count = 0;
  for (const [ref, text] of secrets) {
    sum = withSecret(sum, ref, text);
    count += 1;
    if (count % bucketIds === 0) yield;
  }
  const list = yield* listSteps(budgets, principalOf);
  return { secrets: sum, budgets: list, classifier: memberDigest(classifier), rest };
}

function* listSteps<Member>(
  members: readonly Member[],
  idOfMember: (member: Member) => number,
): Steps<DigestList> {
  const draft = openDigestList(emptyDigestList);
  for (let at = 0; at < members.length; at += bucketIds) {
    const page = members.slice(at, at + bucketIds);
    writeDigests(draft, new Map(page.map((one) => [idOfMember(one), memberDigest(one)])));
    yield;
  }
  return closeDigestList(draft);
}

/** The text of a secret before the delta. */
type SecretBefore = (ref: string) => string | undefined;

export function movedDigests(
  { schema, lists, settings, other }: SnapshotDigests,
  delta: ReceivedDelta,
  secretBefore: SecretBefore,
): SnapshotDigests {
  const { config } = delta;
  const moved = (name: ListName): DigestList => movedList(lists[name], config[name], idOf);
  return {
    schema,
    lists: {
      principals: moved('principals'),
      roles: moved('roles'),
      api_keys: moved('api_keys'),
      providers: moved('providers'),
      models: moved('models'),
      frontend_models: moved('frontend_models'),
      pools: moved('pools'),
      prompt_classes: moved('prompt_classes'),
    },
    settings: delta.settings === undefined ? settings : memberDigest(delta.settings),
    other: movedOther(other, delta, secretBefore),
  };
}

export function movedOther(
  { secrets: before, budgets, classifier, rest }: OtherDigests,
  { secrets, classifier: nextClassifier, overlay }: Pick<ReceivedDelta, OtherPart>,
  secretBefore: SecretBefore,
): OtherDigests {
  const { budgets: changedBudgets, ...parts } = overlay;
  let sum = before;
  for (const ref of [...secrets.removed, ...Object.keys(secrets.set)]) {
    const text = secretBefore(ref);
    if (text !== undefined) sum = withoutSecret(sum, ref, text);
  }
  for (const [ref, text] of Object.entries(secrets.set)) sum = withSecret(sum, ref, text);
  return {
    secrets: sum,
    budgets: movedList(budgets, changedBudgets, principalOf),
    classifier: nextClassifier === undefined ? classifier : memberDigest(nextClassifier),
    rest: { ...rest, ...present(parts) },
  };
}

type OtherPart = 'secrets' | 'classifier' | 'overlay';

const present = (parts: object) =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));

function movedList<Member>(
  list: DigestList,
  change: Readonly<{ set: readonly Member[]; removed: readonly number[] }> | undefined,
  idOfMember: (member: Member) => number,
): DigestList {
  if (change === undefined) return list;
  const changed = new Map<number, string | null>(change.removed.map((id) => [id, null]));
  for (const member of change.set) changed.set(idOfMember(member), memberDigest(member));
  if (changed.size === 0) return list;
  const draft = openDigestList(list);
  writeDigests(draft, changed);
  return closeDigestList(draft);
}

/** The hash of the configuration that the digests cover. */
export const configHashOf = ({ lists, settings }: SnapshotDigests): string =>
  combineDigests({ ...digestsIn(lists), settings });

type Known = Pick<RootParts, 'schema' | 'version' | 'log' | 'config_hash'>;

export const rootWith = (
  other: OtherDigests,
  { schema, version, log, config_hash }: Known,
): string =>
  rootOf({
    schema,
    version,
    log,
    config_hash,
    secrets: other.secrets,
    budgets: other.budgets.digest,
    classifier: other.classifier,
    overlay: memberDigest(other.rest),
  });

const digestsIn = (lists: SnapshotDigests['lists']) => ({
  principals: lists.principals.digest,
  roles: lists.roles.digest,
  api_keys: lists.api_keys.digest,
  providers: lists.providers.digest,
  models: lists.models.digest,
  frontend_models: lists.frontend_models.digest,
  pools: lists.pools.digest,
  prompt_classes: lists.prompt_classes.digest,
});
