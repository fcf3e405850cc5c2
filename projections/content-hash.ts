// The content hash of every snapshot version, kept up to date change by change. Equal to `configHash` of the whole
// configuration (a property test holds it), at the cost of one bucket a changed entity.

import { parseStream } from '../events/catalogue.ts';
import type { Noun } from '../events/catalogue.ts';
import {
  bucketDigest,
  bucketOf,
  combineDigests,
  listDigest,
  memberDigest,
} from '../src/snapshot/hash.ts';
import type { ConfigState } from './config/state.ts';
import { settingsMember, snapshotMember } from './snapshot.ts';

type ListNoun = Exclude<Noun, 'settings'>;
const listNouns = ['principal', 'role', 'api_key', 'provider', 'model'] as const;

/** The bucket digests of one state, moved along with it by its holder. `members` remembers the digest of each entity. */
export type ContentHash = Readonly<Record<ListNoun, Map<number, string>>> & {
  readonly members: WeakMap<object, string | null>;
};

export const emptyContentHash = (): ContentHash => ({
  principal: new Map(),
  role: new Map(),
  api_key: new Map(),
  provider: new Map(),
  model: new Map(),
  members: new WeakMap(),
});

/** The bucket digests of `state`, from nothing. */
export function contentHashOf(state: ConfigState): ContentHash {
  const content = emptyContentHash();
  for (const noun of listNouns) {
    for (const bucket of new Set([...state[noun].byId.keys()].map(bucketOf))) {
      updateBucket(content, state, { noun, bucket });
    }
  }
  return content;
}

/** Moves `content` along to `state`, in which the entities of `streams` may have changed. */
export function updateContentHash(
  content: ContentHash,
  state: ConfigState,
  streams: Iterable<string>,
): void {
  const stale = new Map<string, { noun: ListNoun; bucket: number }>();
  for (const stream of streams) {
    const { noun, id } = parseStream(stream);
    if (noun === 'settings') continue;
    const bucket = bucketOf(id);
    stale.set(`${noun} ${bucket}`, { noun, bucket });
  }
  for (const place of stale.values()) updateBucket(content, state, place);
}

function updateBucket(
  content: ContentHash,
  state: ConfigState,
  { noun, bucket }: { noun: ListNoun; bucket: number },
): void {
  const digests: string[] = [];
  for (let id = bucket * 256; id < bucket * 256 + 256; id++) {
    const digest = entityDigest(content, state, { noun, id });
    if (digest !== null) digests.push(digest);
  }
  if (digests.length === 0) content[noun].delete(bucket);
  else content[noun].set(bucket, bucketDigest(digests));
}

/** Entities are immutable, so a digest once computed stays true. */
function entityDigest(
  content: ContentHash,
  state: ConfigState,
  { noun, id }: { noun: ListNoun; id: number },
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
    settings: memberDigest(settingsMember(state)),
  });
