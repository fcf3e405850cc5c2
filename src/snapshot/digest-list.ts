// Digests the members of a noun in buckets of 256 ids, so that a changed member costs one bucket
// (hash.ts). The control plane moves these lists with its log, and a proxy with the deltas that it
// receives.

import { bucketIds, bucketOf, digestOfLines } from './hash.ts';

/**
 * `places` are the used places, ascending; `lines` are their digests as the hashed text, each with
 * a line feed. `line` is the bucket's line in the list.
 */
type Bucket = Readonly<{ places: readonly number[]; lines: Buffer; line: string }>;

/** `order` has the numbers of the buckets, ascending. `digest` covers the list. */
export type DigestList = Readonly<{
  buckets: ReadonlyMap<number, Bucket>;
  order: readonly number[];
  digest: string;
}>;

/** Owns the copied buckets and writes them in place. */
export type DigestListDraft = {
  base: DigestList;
  copy: { buckets: Map<number, Bucket>; order: readonly number[]; own: Set<number> } | null;
  digest: string | null;
};

export const emptyDigestList: DigestList = {
  buckets: new Map(),
  order: [],
  digest: digestOfLines(''),
};

export const openDigestList = (base: DigestList): DigestListDraft => ({
  base,
  copy: null,
  digest: base.digest,
});

/** The draft must not be updated afterwards. */
export function closeDigestList(draft: DigestListDraft): DigestList {
  const { base, copy } = draft;
  if (copy === null) return base;
  return { buckets: copy.buckets, order: copy.order, digest: draftDigest(draft) };
}

/** By id; null removes the member. */
export type ChangedDigests = ReadonlyMap<number, string | null>;

export function writeDigests(list: DigestListDraft, changed: ChangedDigests): void {
  const buckets = Map.groupBy(changed, ([id]) => bucketOf(id));
  for (const [number, members] of buckets) {
    writeBucket(list, number, new Map(members.map(([id, digest]) => [id % bucketIds, digest])));
  }
}

/** By place in a bucket; null removes the member. */
type Changed = ReadonlyMap<number, string | null>;

/** A digest in hex and a line feed. */
const lineBytes = 65;

const noBucket: Bucket = { places: [], lines: Buffer.alloc(0), line: '' };

function writeBucket(list: DigestListDraft, number: number, members: Changed): void {
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

export function draftDigest(list: DigestListDraft): string {
  const { buckets, order } = list.copy ?? list.base;
  list.digest ??= digestOfLines(order.map((one) => buckets.get(one)?.line ?? '').join('\n'));
  return list.digest;
}
