// Verification: the log's chain from the first event to the head, the checkpoints that were signed of it, and everything derived from
// it against a rebuild. It trusts nothing that the database computed.

import type { Queryable } from '@databases/pg';

import { readNote } from '../../events/checkpoint.ts';
import type { LogHead } from '../../events/seal.ts';
import { verifyReadModel } from '../../projections/read-model.ts';
import { readHashed, readHead } from '../db/event-log.ts';
import type { Database } from '../db/pool.ts';
import { listSignedCheckpoints } from '../db/signed-checkpoints.ts';
import { createChainCheck } from './evidence/chain.ts';
import type { ChainCheck, Link } from './evidence/chain.ts';

/** What is wrong, and at which position where it has one. */
export type Problem = Readonly<{ position: number | null; problem: string }>;

export type LogCheck = Readonly<{
  events: number;
  head: Readonly<{ position: number; hash: string }>;
  /** How many signed checkpoints were checked, the anchors among them. */
  checkpoints: number;
  /** How many tables were compared with a rebuild; snapshot_versions, with the hash of each version, is one of them. */
  tables: number;
  problems: readonly Problem[];
}>;

const pageEvents = 5000;
/** Of one page of events there are no more: a position has one. */
const pageNotes = pageEvents;

type Options = Readonly<{
  /** Checkpoints that were kept elsewhere: notes. The log must hold what they state. */
  anchors?: readonly string[];
  /** Where a trusted hash of the chain is known; the beginning when absent. */
  from?: Link;
}>;

/** Reads every event once. A chain that is broken is reported alone: what derives from it means nothing then. */
export async function verifyLog(db: Database, { anchors = [] }: Options = {}): Promise<LogCheck> {
  const head = await readHead(db);
  const hash = Buffer.from(head.hash).toString('hex');
  const checked = { events: head.position, head: { position: head.position, hash } };
  const { checkpoints, broken } = await checkChain(db, head, { anchors });
  if (broken !== null) return { ...checked, checkpoints, tables: 0, problems: [broken] };
  const tables = await verifyReadModel(db);
  const problems = tables
    .filter((table) => !table.equal)
    .map(({ table, live, rebuilt }) => ({
      position: null,
      problem: `table ${table} holds ${live}, a rebuild ${rebuilt}`,
    }));
  return { ...checked, checkpoints, tables: tables.length, problems };
}

/** `checkpoints` were checked; `broken` is null when all holds, and `link` is then the end of the chain. */
export type ChainChecked = Readonly<{ checkpoints: number; broken: Problem | null; link: Link }>;

/** The chain alone, with its checkpoints, up to `head`. */
export async function checkChain(
  db: Queryable,
  head: LogHead,
  { anchors = [], from }: Options = {},
): Promise<ChainChecked> {
  const check = createChainCheck(head.logId, from);
  const anchored = Map.groupBy(anchors, (note) => readNote(note)?.position ?? -1);
  let checkpoints = 0;
  const wrong = (position: number, problem: string): ChainChecked => ({
    checkpoints,
    broken: { position, problem },
    link: check.link(),
  });
  const unread = anchored.get(-1)?.[0];
  if (unread !== undefined) return wrong(1, `an anchor cannot be read: ${JSON.stringify(unread)}`);
  let { position } = check.link();
  const pages = readPages(db, { from: position, to: head.position });
  for await (const { events, stored } of pages) {
    const notes = new Map(stored.map(({ position, note }) => [position, [note]]));
    for (const event of events) {
      const problem = check.event(event);
      if (problem !== null) return wrong(position + 1, problem);
      position += 1;
      if (!notes.has(position) && !anchored.has(position)) continue;
      const own = [...(notes.get(position) ?? []), ...(anchored.get(position) ?? [])];
      const broken = firstProblem(check, own);
      if (broken !== null) return wrong(position, broken);
      checkpoints += own.length;
    }
  }
  if (position < head.position) {
    return wrong(position + 1, `the log ends at ${position}, its head says ${head.position}`);
  }
  if (Buffer.compare(check.link().hash, head.hash) !== 0) {
    return wrong(head.position, 'the head holds another hash than the last event');
  }
  const beyond = await positionBeyond(db, [...anchored.keys()]);
  if (beyond !== null) {
    return wrong(beyond.end + 1, `the log ends before, and a checkpoint is of ${beyond.position}`);
  }
  return { checkpoints, broken: null, link: check.link() };
}

type Pages = Readonly<{ from: number; to: number }>;

/** Events behind `from` with the checkpoints signed among them, up to a gap; each page is read while the one before is checked. */
async function* readPages(db: Queryable, { from, to }: Pages) {
  const read = async (after: number) => {
    const limit = Math.min(pageEvents, to - after);
    const events = await readHashed(db, { after, limit });
    const stored = await listSignedCheckpoints(db, { after, to: after + limit, limit: pageNotes });
    return { events, stored };
  };
  let next = from < to ? read(from) : null;
  for (let after = from; next !== null; after += pageEvents) {
    const page = await next;
    const isLast = page.events.length < pageEvents || after + pageEvents >= to;
    next = isLast ? null : read(after + pageEvents);
    // Whoever stops at a problem does not wait for it.
    next?.catch(() => {});
    yield page;
  }
}

const firstProblem = (check: ChainCheck, notes: readonly string[]): string | null =>
  notes.map((note) => check.checkpoint(note)).find((problem) => problem !== null) ?? null;

/** The place of a checkpoint that the log does not reach, and where it ends; null when there is none. */
async function positionBeyond(db: Queryable, anchored: readonly number[]) {
  const { position: end } = await readHead(db);
  const page = { after: end, to: Number.MAX_SAFE_INTEGER, limit: 1 };
  // What is appended meanwhile may be signed meanwhile.
  const [stored] = await listSignedCheckpoints(db, page);
  const position = stored?.position ?? anchored.find((one) => one > end);
  if (position === undefined) return null;
  const now = await readHead(db);
  return position > now.position ? { position, end } : null;
}
