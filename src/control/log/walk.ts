// Walks a range of the log: verifies every event and checkpoint, starting from a link that is known
// or claimed.

import type { Queryable } from '@databases/pg';

import { readNote } from '../../../events/note.ts';
import { readHashed } from '../../db/log/event-log.ts';
import { listSignedCheckpoints } from '../../db/log/signed-checkpoints.ts';
import { means } from './means.ts';
import { createChainCheck } from '../../../events/chain.ts';
import type { ChainCheck, Link } from '../../../events/chain.ts';

/** `position` is null if the problem has none. */
export type Problem = Readonly<{ position: number | null; problem: string }>;

/**
 * The events after `from` up to `to`. `anchors` are notes stored elsewhere; those outside of the
 * range are ignored.
 */
export type Range = Readonly<{
  logId: string;
  from: Link;
  to: number;
  anchors: readonly string[];
}>;

/**
 * `checkpoints` is the number verified. `broken` is null if the range is valid. `link` is where the
 * walk ended: at `to` or at a gap.
 */
export type Walked = Readonly<{ checkpoints: number; broken: Problem | null; link: Link }>;

/** Pages start at multiples of this number. */
export const pageEvents = 5000;

export async function walkRange(
  db: Queryable,
  { logId, from, to, anchors }: Range,
  size = pageEvents,
): Promise<Walked> {
  const check = createChainCheck(logId, means, from);
  const anchored = Map.groupBy(anchors, (note) => readNote(note)?.position ?? -1);
  let checkpoints = 0;
  let { position } = from;
  const end = (broken: Problem | null): Walked => ({ checkpoints, broken, link: check.link() });
  for await (const { events, stored } of readPages(db, { from: position, to, size })) {
    const notes = new Map(stored.map(({ position, note }) => [position, [note]]));
    for (const event of events) {
      const problem = await check.event(event);
      if (problem !== null) return end({ position: position + 1, problem });
      position += 1;
      if (!notes.has(position) && !anchored.has(position)) continue;
      const own = [...(notes.get(position) ?? []), ...(anchored.get(position) ?? [])];
      const broken = await firstProblem(check, own);
      if (broken !== null) return end({ position, problem: broken });
      checkpoints += own.length;
    }
  }
  return end(null);
}

type Pages = Readonly<{ from: number; to: number; size: number }>;

/**
 * Yields the events after `from` with their signed checkpoints, up to a gap. Prefetches the next
 * page.
 */
async function* readPages(db: Queryable, { from, to, size }: Pages) {
  const read = async (after: number) => {
    const limit = Math.min(size, to - after);
    const events = await readHashed(db, { after, limit });
    // At most one per event of the page.
    const stored = await listSignedCheckpoints(db, { after, to: after + limit, limit: size });
    return { events, stored };
  };
  let next = from < to ? read(from) : null;
  for (let after = from; next !== null; after += size) {
    const page = await next;
    const isLast = page.events.length < size || after + size >= to;
    next = isLast ? null : read(after + size);
    // A consumer that stops at a problem does not wait for the prefetched page.
    next?.catch(() => {});
    yield page;
  }
}

async function firstProblem(check: ChainCheck, notes: readonly string[]): Promise<string | null> {
  for (const note of notes) {
    const problem = await check.checkpoint(note);
    if (problem !== null) return problem;
  }
  return null;
}
