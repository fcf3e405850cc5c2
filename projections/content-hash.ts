// The content hash of every snapshot version, kept up to date change by change. Equal to `configHash` of the whole
// configuration (a property test holds it), at the cost of one bucket a changed entity.

import { parseStream, streamOf } from '../events/catalogue.ts';
import {
  bucketDigest,
  bucketIds,
  bucketOf,
  combineDigests,
  listDigest,
  memberDigest,
} from '../src/snapshot/hash.ts';
import type { ConfigState } from './config/state.ts';
import { settingsMember, snapshotMember } from './snapshot.ts';
import type { SnapshotNoun } from './snapshot.ts';

const listNouns = [
  'principal',
  'role',
  'api_key',
  'provider',
  'model',
  'frontend_model',
  'pool',
  'prompt_class',
] as const;

/** Of one bucket: its digest, and those of its members by their place in it; null is none. */
type Bucket = Readonly<{ digest: string; members: readonly (string | null)[] }>;
type Buckets = ReadonlyMap<number, Bucket>;

/** The digests of one state. `lists` remembers the digest of each noun's list, across states. */
export type ContentHash = Readonly<Record<SnapshotNoun, Buckets>> & {
  readonly lists: WeakMap<Buckets, string>;
};

/** The digests of `state`, from nothing. */
export function contentHashOf(state: ConfigState): ContentHash {
  const empty: ContentHash = {
    principal: new Map(),
    role: new Map(),
    api_key: new Map(),
    provider: new Map(),
    model: new Map(),
    frontend_model: new Map(),
    pool: new Map(),
    prompt_class: new Map(),
    lists: new WeakMap(),
  };
  const streams = listNouns.flatMap((noun) =>
    [...state[noun].byId.keys()].map((id) => streamOf(noun, id)),
  );
  return movedContentHash(empty, state, streams);
}

/** `content` moved along to `state`, in which nothing but the entities of `streams` may have changed. */
export function movedContentHash(
  content: ContentHash,
  state: ConfigState,
  streams: readonly string[],
): ContentHash {
  const moved = { ...content };
  const addresses = [...new Set(streams)].map(parseStream);
  for (const noun of listNouns) {
    const ids = addresses.filter((address) => address.noun === noun).map(({ id }) => id);
    if (ids.length > 0) moved[noun] = movedBuckets(content[noun], state, { noun, ids });
  }
  return moved;
}

function movedBuckets(
  before: Buckets,
  state: ConfigState,
  { noun, ids }: Readonly<{ noun: SnapshotNoun; ids: readonly number[] }>,
): Buckets {
  const buckets = new Map(before);
  for (const [bucket, stale] of Map.groupBy(ids, bucketOf)) {
    const members = buckets.get(bucket)?.members.slice() ?? noMembers();
    for (const id of stale) members[id % bucketIds] = entityDigest(state, noun, id);
    const held = members.filter((digest) => digest !== null);
    if (held.length === 0) buckets.delete(bucket);
    else buckets.set(bucket, { digest: bucketDigest(held), members });
  }
  return buckets;
}

const noMembers = (): (string | null)[] => Array.from({ length: bucketIds }, () => null);

function entityDigest(state: ConfigState, noun: SnapshotNoun, id: number): string | null {
  const member = snapshotMember(state, noun, id);
  return member === null ? null : memberDigest(member);
}

/** 64 hex digits. `state` is the one that `content` was moved to. */
export function contentHashText(content: ContentHash, state: ConfigState): string {
  const digestOf = (buckets: Buckets): string => {
    const known = content.lists.get(buckets);
    if (known !== undefined) return known;
    const digests = [...buckets].map(([bucket, { digest }]) => [bucket, digest] as const);
    const digest = listDigest(new Map(digests));
    content.lists.set(buckets, digest);
    return digest;
  };
  return combineDigests({
    principals: digestOf(content.principal),
    roles: digestOf(content.role),
    api_keys: digestOf(content.api_key),
    providers: digestOf(content.provider),
    models: digestOf(content.model),
    frontend_models: digestOf(content.frontend_model),
    pools: digestOf(content.pool),
    prompt_classes: digestOf(content.prompt_class),
    settings: memberDigest(settingsMember(state)),
  });
}
