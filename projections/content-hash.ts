// Updates the content hash of snapshot versions incrementally. It equals `configHash` of the whole
// configuration (a property test checks that), at the cost of one bucket per changed entity.

import { parseStream, streamOf } from '../events/catalogue.ts';
import { isSnapshotNoun, snapshotNouns } from '../events/nouns.ts';
import type { SnapshotNoun } from '../events/nouns.ts';
import {
  bucketIds,
  bucketOf,
  combineDigests,
  digestOfLines,
  memberDigest,
} from '../src/snapshot/hash.ts';
import type { ConfigState } from './config/state.ts';
import { settingsMember, snapshotMember } from './snapshot.ts';

/**
 * `places` are the used places, ascending; `lines` are their digests as the hashed text, each with
 * a line feed. `line` is the bucket's line in the list.
 */
type Bucket = Readonly<{ places: readonly number[]; lines: Buffer; line: string }>;

/** `order` has the numbers of the buckets, ascending. `digest` covers the list. */
type List = Readonly<{
  buckets: ReadonlyMap<number, Bucket>;
  order: readonly number[];
  digest: string;
}>;

/** `settings` is a single digest. */
export type ContentHash = Readonly<Record<SnapshotNoun, List> & { settings: string }>;

/** Owns the copied buckets and writes them in place. */
type ListDraft = {
  base: List;
  copy: { buckets: Map<number, Bucket>; order: readonly number[]; own: Set<number> } | null;
  digest: string | null;
};

/** Can be read between two commands. */
export type ContentDraft = Readonly<Record<SnapshotNoun, ListDraft>> & { settings: string };

const emptyList: List = { buckets: new Map(), order: [], digest: digestOfLines('') };

/** From scratch. */
export function contentHashOf(state: ConfigState): ContentHash {
  const empty: ContentHash = {
    ...eachList(() => emptyList),
    settings: memberDigest(settingsMember(state)),
  };
  const streams = snapshotNouns.flatMap((noun) =>
    [...state[noun].byId.keys()].map((id) => streamOf(noun, id)),
  );
  return movedContentHash(empty, state, streams);
}

/** Only entities of `streams` may differ. */
export function movedContentHash(
  content: ContentHash,
  state: ConfigState,
  streams: readonly string[],
): ContentHash {
  const draft = openContent(content);
  moveContent(draft, state, streams);
  return closeContent(draft);
}

const draftOf = (base: List): ListDraft => ({ base, copy: null, digest: base.digest });

export const openContent = (content: ContentHash): ContentDraft => ({
  ...eachList((noun) => draftOf(content[noun])),
  settings: content.settings,
});

/** The draft must not be updated afterwards. */
export const closeContent = (draft: ContentDraft): ContentHash => ({
  ...eachList((noun) => closedList(draft[noun])),
  settings: draft.settings,
});

const eachList = <Value>(make: (noun: SnapshotNoun) => Value): Record<SnapshotNoun, Value> => ({
  principal: make('principal'),
  role: make('role'),
  api_key: make('api_key'),
  provider: make('provider'),
  model: make('model'),
  frontend_model: make('frontend_model'),
  pool: make('pool'),
  prompt_class: make('prompt_class'),
});

function closedList(draft: ListDraft): List {
  const { base, copy } = draft;
  if (copy === null) return base;
  return { buckets: copy.buckets, order: copy.order, digest: digestOf(draft) };
}

export function moveContent(
  draft: ContentDraft,
  state: ConfigState,
  streams: readonly string[],
): void {
  const changed = new Map<ListDraft, Map<number, Changed>>();
  for (const stream of streams) {
    const { noun, id } = parseStream(stream);
    if (noun === 'settings') draft.settings = memberDigest(settingsMember(state));
    if (!isSnapshotNoun(noun)) continue;
    const buckets = getOrMake(changed, draft[noun], () => new Map<number, Changed>());
    const members = getOrMake(buckets, bucketOf(id), () => new Map());
    members.set(id % bucketIds, entityDigest(state, noun, id));
  }
  for (const [list, buckets] of changed) {
    for (const [number, members] of buckets) writeBucket(list, number, members);
  }
}

/** By place in a bucket; null removes the member. */
type Changed = Map<number, string | null>;

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const held = map.get(key);
  if (held !== undefined) return held;
  const made = make();
  map.set(key, made);
  return made;
}

function entityDigest(state: ConfigState, noun: SnapshotNoun, id: number): string | null {
  const member = snapshotMember(state, noun, id);
  return member === null ? null : memberDigest(member);
}

/** A digest in hex and a line feed. */
const lineBytes = 65;

const noBucket: Bucket = { places: [], lines: Buffer.alloc(0), line: '' };

function writeBucket(list: ListDraft, number: number, members: Changed): void {
  const { base } = list;
  list.copy ??= { buckets: new Map(base.buckets), order: base.order, own: new Set() };
  list.digest = null;
  const { buckets, own } = list.copy;
  const held = buckets.get(number) ?? noBucket;
  const { places, lines } = isInPlace(held, members)
    ? written(held, members, { isOwn: own.has(number) })
    : merged(held, members);
  if (places.length === 0) {
    buckets.delete(number);
    own.delete(number);
    list.copy.order = list.copy.order.filter((one) => one !== number);
    return;
  }
  own.add(number);
  // Line feeds separate the lines, so the last one is omitted.
  const digest = digestOfLines(lines.subarray(0, -1));
  buckets.set(number, { places, lines, line: `${number} ${digest}` });
  if (list.copy.order.includes(number)) return;
  list.copy.order = [...list.copy.order, number].toSorted((a, b) => a - b);
}

const isInPlace = ({ places }: Bucket, members: Changed): boolean =>
  [...members].every(([place, digest]) => digest !== null && places.includes(place));

type Written = Pick<Bucket, 'places' | 'lines'>;

/** In place if no other content hash shares the bytes. */
function written(
  { places, lines: held }: Bucket,
  members: Changed,
  { isOwn }: Readonly<{ isOwn: boolean }>,
): Written {
  const lines = isOwn ? held : Buffer.from(held);
  for (const [place, digest] of members) {
    lines.write(digest ?? '', places.indexOf(place) * lineBytes, 'latin1');
  }
  return { places, lines };
}

/** Adds and removes places. Copies the unchanged ranges between them. */
function merged({ places: held, lines }: Bucket, members: Changed): Written {
  const places: number[] = [];
  const pieces: Uint8Array[] = [];
  let taken = 0;
  const take = (end: number): void => {
    places.push(...held.slice(taken, end));
    pieces.push(lines.subarray(taken * lineBytes, end * lineBytes));
    taken = end;
  };
  for (const [place, digest] of [...members].toSorted(([a], [b]) => a - b)) {
    const next = held.findIndex((one) => one >= place);
    take(next === -1 ? held.length : next);
    if (held[taken] === place) taken += 1;
    if (digest === null) continue;
    places.push(place);
    pieces.push(Buffer.from(`${digest}\n`, 'latin1'));
  }
  take(held.length);
  return { places, lines: Buffer.concat(pieces) };
}

function digestOf(list: ListDraft): string {
  const { buckets, order } = list.copy ?? list.base;
  list.digest ??= digestOfLines(order.map((one) => buckets.get(one)?.line ?? '').join('\n'));
  return list.digest;
}

/** 64 hex digits. */
export const draftHashText = (draft: ContentDraft): string =>
  combineDigests({
    principals: digestOf(draft.principal),
    roles: digestOf(draft.role),
    api_keys: digestOf(draft.api_key),
    providers: digestOf(draft.provider),
    models: digestOf(draft.model),
    frontend_models: digestOf(draft.frontend_model),
    pools: digestOf(draft.pool),
    prompt_classes: digestOf(draft.prompt_class),
    settings: draft.settings,
  });

export const contentHashText = (content: ContentHash): string =>
  draftHashText(openContent(content));
