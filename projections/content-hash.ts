// The content hash of every snapshot version, kept up to date change by change. Equal to `configHash` of the whole
// configuration (a property test holds it), at the cost of one bucket a changed entity.

import { parseStream, streamOf } from '../events/catalogue.ts';
import {
  bucketDigest,
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

/** The bucket digests of one state. `members` remembers the digest of each entity, across states. */
export type ContentHash = Readonly<Record<SnapshotNoun, ReadonlyMap<number, string>>> & {
  readonly members: WeakMap<object, string | null>;
};

/** The bucket digests of `state`, from nothing. */
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
    members: new WeakMap(),
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
  for (const noun of listNouns) {
    const stale = staleBuckets(noun, streams);
    if (stale.size === 0) continue;
    const buckets = new Map(content[noun]);
    for (const bucket of stale) {
      const digests = memberDigests(content, state, { noun, bucket });
      if (digests.length === 0) buckets.delete(bucket);
      else buckets.set(bucket, bucketDigest(digests));
    }
    moved[noun] = buckets;
  }
  return moved;
}

const staleBuckets = (noun: SnapshotNoun, streams: readonly string[]): Set<number> =>
  new Set(
    streams
      .map(parseStream)
      .filter((address) => address.noun === noun)
      .map((address) => bucketOf(address.id)),
  );

function memberDigests(
  content: ContentHash,
  state: ConfigState,
  { noun, bucket }: { noun: SnapshotNoun; bucket: number },
): string[] {
  const digests: string[] = [];
  for (let id = bucket * 256; id < bucket * 256 + 256; id++) {
    const digest = entityDigest(content, state, { noun, id });
    if (digest !== null) digests.push(digest);
  }
  return digests;
}

/** Entities are immutable, so a digest once computed stays true. */
function entityDigest(
  content: ContentHash,
  state: ConfigState,
  { noun, id }: { noun: SnapshotNoun; id: number },
): string | null {
  const entity = state[noun].byId.get(id);
  if (entity === undefined) return null;
  const known = content.members.get(entity);
  if (known !== undefined) return known;
  const member = snapshotMember(state, noun, id);
  const digest = member === null ? null : memberDigest(member);
  content.members.set(entity, digest);
  return digest;
}

/** 64 hex digits. `state` is the one that `content` was moved to. */
export const contentHashText = (content: ContentHash, state: ConfigState): string =>
  combineDigests({
    principals: listDigest(content.principal),
    roles: listDigest(content.role),
    api_keys: listDigest(content.api_key),
    providers: listDigest(content.provider),
    models: listDigest(content.model),
    frontend_models: listDigest(content.frontend_model),
    pools: listDigest(content.pool),
    prompt_classes: listDigest(content.prompt_class),
    settings: memberDigest(settingsMember(state)),
  });
