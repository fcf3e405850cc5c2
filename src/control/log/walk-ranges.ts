// Walks a long log as several ranges in parallel. A range starts from what the event before it
// claims. It counts only if the previous range ends with exactly that, so the result equals that of
// one walk.

import type { Queryable } from '@databases/pg';

import { readEnvelope } from '../../../events/hashed-text.ts';
import { auditKeyAt, readHashed } from '../../db/log/event-log.ts';
import type { Link } from '../../../events/chain.ts';
import { pageEvents, walkRange } from './walk.ts';
import type { Range, Walked } from './walk.ts';

/**
 * Ranges that the up to `threads` threads fail to walk are walked on this thread. `sizes` are in
 * events.
 */
export type ParallelWalk = Readonly<{
  threads: number;
  walk: (range: Range) => Promise<Walked>;
  sizes?: WalkSizes;
}>;

/** `rangeEvents` is the minimum per range. */
export type WalkSizes = Readonly<{ pageEvents: number; rangeEvents: number }>;

/** Starting a thread takes half a second of CPU, as much as walking about 50,000 events. */
const walkSizes: WalkSizes = { pageEvents, rangeEvents: 100_000 };

/** The result equals that of `walkRange` over the whole range. */
export async function walkInRanges(
  db: Queryable,
  whole: Range,
  { threads, walk, sizes = walkSizes }: ParallelWalk,
): Promise<Walked> {
  const [first, ...others] = await cut(db, whole, { ranges: threads + 1, sizes });
  const ahead = others.map((range) => ({ range, walked: orNull(walk(range)) }));
  let done = await walkRange(db, first, sizes.pageEvents);
  let { to } = first;
  for (const { range, walked } of ahead) {
    if (done.broken !== null || done.link.position < to) return done;
    const next =
      (isSameLink(done.link, range.from) ? await walked : null) ??
      (await walkRange(db, { ...range, from: done.link }, sizes.pageEvents));
    done = { ...next, checkpoints: done.checkpoints + next.checkpoints };
    ({ to } = range);
  }
  return done;
}

type Cut = Readonly<{ ranges: number; sizes: WalkSizes }>;

/** Ranges consist of whole pages. There are fewer if the event before one cannot be read. */
async function cut(
  db: Queryable,
  whole: Range,
  { ranges, sizes }: Cut,
): Promise<[Range, ...Range[]]> {
  const events = whole.to - whole.from.position;
  const count = Math.max(1, Math.min(ranges, Math.floor(events / sizes.rangeEvents)));
  const length = sizes.pageEvents * Math.ceil(events / count / sizes.pageEvents);
  const starts: Link[] = [];
  for (let at = 1; at < count; at++) {
    const position = whole.from.position + at * length;
    const start = position < whole.to ? await claimedLink(db, position) : null;
    if (start !== null) starts.push(start);
  }
  const end = (index: number): number => starts[index]?.position ?? whole.to;
  const others = starts.map((from, at) => rangeOf(whole, { from, to: end(at + 1) }));
  return [rangeOf(whole, { from: whole.from, to: end(0) }), ...others];
}

const rangeOf = (whole: Range, part: Pick<Range, 'from' | 'to'>): Range => ({ ...whole, ...part });

/** The claim of the event at `position`. Null if no event can be read there. */
async function claimedLink(db: Queryable, position: number): Promise<Link | null> {
  const [event] = await readHashed(db, { after: position - 1, limit: 1 });
  const envelope = event === undefined ? null : readEnvelope(event.envelope);
  if (event === undefined || envelope?.position !== position) return null;
  const { recordedAt } = envelope;
  const auditKey = await auditKeyAt(db, position);
  return { position, hash: Buffer.from(event.hash, 'hex'), recordedAt, auditKey };
}

const isSameLink = (one: Link, other: Link): boolean =>
  one.position === other.position &&
  Buffer.compare(one.hash, other.hash) === 0 &&
  one.recordedAt === other.recordedAt &&
  one.auditKey === other.auditKey;

/**
 * Null if the walk failed, for example for lack of connections or memory. This thread then walks
 * the range.
 */
const orNull = (walked: Promise<Walked>): Promise<Walked | null> => walked.catch(() => null);
