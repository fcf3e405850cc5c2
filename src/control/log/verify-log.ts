// Verifies the chain of the log, its signed checkpoints, the vault items that its events name, and
// all derived data against a rebuild. Trusts nothing that the database computed.

import type { Queryable } from '@databases/pg';

import { readNote } from '../../../events/note.ts';
import type { LogHead } from '../../../events/seal.ts';
import { readModelStanding, verifyReadModel } from '../../../projections/read-model.ts';
import { auditKeyAt, readHead, readRedacted } from '../../db/log/event-log.ts';
import type { Database } from '../../db/pool.ts';
import { lastSignedCheckpoint, listSignedCheckpoints } from '../../db/log/signed-checkpoints.ts';
import type { EncryptionKeys } from '../../db/vault.ts';
import { redactedNamedMax, redactedText } from '../../lib/redacted-events.ts';
import { firstLink } from '../../../events/chain.ts';
import type { Link } from '../../../events/chain.ts';
import { walkInRanges } from './walk-ranges.ts';
import type { ParallelWalk } from './walk-ranges.ts';
import { walkRange } from './walk.ts';
import type { Problem, Walked } from './walk.ts';
import { verifyVault } from '../vault/verify-vault.ts';
import type { VaultCheck } from '../vault/verify-vault.ts';

export type LogCheck = Readonly<{
  events: number;
  head: Readonly<{ position: number; hash: string }>;
  /** Includes anchors. */
  checkpoints: number;
  /**
   * Tables compared with a rebuild. One of them is snapshot_versions, with the hash of each
   * version.
   */
  tables: number;
  /** The position of the compared tables. Null if the chain is broken: then none is compared. */
  tables_position: number | null;
  /**
   * Null if the chain is broken: then the vault is not compared. Its problems are in `problems`
   * too.
   */
  vault: VaultCheck | null;
  problems: readonly Problem[];
}>;

type Options = Readonly<{
  /** Checkpoints stored elsewhere, as notes. The log must match them. */
  anchors?: readonly string[];
  /** A position whose hash is trusted. Default: the beginning. */
  from?: Link;
  /** If absent, one walk covers the log. */
  parallel?: ParallelWalk;
}>;

type VerifyOptions = Omit<Options, 'from'> &
  Readonly<{
    /** If absent, the content of vault items is not checked. */
    encryptionKeys?: EncryptionKeys | null;
  }>;

/** If the chain is broken, reports only that: derived data would be meaningless. */
export async function verifyLog(
  db: Database,
  { encryptionKeys = null, ...options }: VerifyOptions = {},
): Promise<LogCheck> {
  const head = await readHead(db);
  const hash = Buffer.from(head.hash).toString('hex');
  const checked = { events: head.position, head: { position: head.position, hash } };
  const { checkpoints, broken } = await checkChain(db, head, options);
  const found =
    broken ??
    (await withoutCheckpoints(db, head)) ??
    (await redactedEvents(db)) ??
    (await cutBehindTables(db, head));
  if (found !== null) {
    const none = { tables: 0, tables_position: null, vault: null };
    return { ...checked, checkpoints, ...none, problems: [found] };
  }
  const vault = await verifyVault(db, encryptionKeys);
  const { position, tables } = await verifyReadModel(db);
  const differing = tables
    .filter((table) => !table.equal)
    .map(({ table, live, rebuilt }) => ({
      position: null,
      problem: `table ${table} has ${live}, but a rebuild has ${rebuilt}`,
    }));
  const compared = { tables: tables.length, tables_position: position, vault };
  return { ...checked, checkpoints, ...compared, problems: [...vault.problems, ...differing] };
}

/** Setting an audit key signs a checkpoint in the same transaction. */
async function withoutCheckpoints(db: Queryable, { position }: LogHead): Promise<Problem | null> {
  if ((await auditKeyAt(db, position)) === null) return null;
  if ((await lastSignedCheckpoint(db)) !== null) return null;
  const problem = 'the log names an audit key, but no checkpoint signed with it is stored';
  return { position, problem };
}

/** Without payloads the chain can be verified, but nothing can be derived from it. */
async function redactedEvents(db: Queryable): Promise<Problem | null> {
  const redacted = await readRedacted(db, redactedNamedMax);
  const text = redactedText(redacted);
  if (text === null) return null;
  return {
    position: redacted.positions[0] ?? null,
    problem: `${text}; the tables cannot be verified`,
  };
}

/**
 * Tables and log are written in one transaction. Tables past the end of the log were built from
 * events that are now missing.
 */
async function cutBehindTables(db: Queryable, { position }: LogHead): Promise<Problem | null> {
  const standing = await readModelStanding(db);
  if (standing === null || standing.position <= position) return null;
  // Events appended during the check move both positions.
  const { position: end } = await readHead(db);
  if (standing.position <= end) return null;
  const problem = `the log ends at ${end}, but the tables were written up to ${standing.position}`;
  return { position: end + 1, problem };
}

export async function checkChain(
  db: Queryable,
  head: LogHead,
  { anchors = [], from = firstLink(head.logId), parallel }: Options = {},
): Promise<Walked> {
  const unread = anchors.find((note) => readNote(note) === null);
  if (unread !== undefined) {
    const problem = `an anchor cannot be read: ${JSON.stringify(unread)}`;
    return { checkpoints: 0, broken: { position: 1, problem }, link: from };
  }
  const range = { logId: head.logId, from, to: head.position, anchors };
  const walked =
    parallel === undefined ? await walkRange(db, range) : await walkInRanges(db, range, parallel);
  const broken = walked.broken ?? (await brokenEnd(db, head, walked.link, anchors));
  return { ...walked, broken };
}

async function brokenEnd(
  db: Queryable,
  head: LogHead,
  { position, hash }: Link,
  anchors: readonly string[],
): Promise<Problem | null> {
  if (position < head.position) {
    const problem = `the log ends at ${position}, but its head is at ${head.position}`;
    return { position: position + 1, problem };
  }
  if (Buffer.compare(hash, head.hash) !== 0) {
    const problem = 'the hash of the head differs from that of the last event';
    return { position: head.position, problem };
  }
  const anchored = anchors.flatMap((note) => readNote(note)?.position ?? []);
  const beyond = await positionBeyond(db, anchored);
  if (beyond === null) return null;
  const problem = `the log ends before a checkpoint of position ${beyond.position}`;
  return { position: beyond.end + 1, problem };
}

/** The position of a checkpoint past the end of the log, and that end. Null if there is none. */
async function positionBeyond(db: Queryable, anchored: readonly number[]) {
  const { position: end } = await readHead(db);
  const page = { after: end, to: Number.MAX_SAFE_INTEGER, limit: 1 };
  // Events appended during the check may be signed by now.
  const [stored] = await listSignedCheckpoints(db, page);
  const position = stored?.position ?? anchored.find((one) => one > end);
  if (position === undefined) return null;
  const now = await readHead(db);
  return position > now.position ? { position, end } : null;
}
