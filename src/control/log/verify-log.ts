// Verification: the log's chain from the first event to the head, the checkpoints that were signed of it, the items of the vault that its
// events name, and everything derived from it against a rebuild. It trusts nothing that the database computed.

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
import type { WalkBeside } from './walk-ranges.ts';
import { walkRange } from './walk.ts';
import type { Problem, Walked } from './walk.ts';
import { verifyVault } from '../vault/verify-vault.ts';
import type { VaultCheck } from '../vault/verify-vault.ts';

export type LogCheck = Readonly<{
  events: number;
  head: Readonly<{ position: number; hash: string }>;
  /** How many signed checkpoints were checked, the anchors among them. */
  checkpoints: number;
  /** How many tables were compared with a rebuild; snapshot_versions, with the hash of each version, is one of them. */
  tables: number;
  /** Where those stood; null when the chain is broken, and none was compared. */
  tables_position: number | null;
  /** Null when the chain is broken: the vault was not compared with it. Its problems are among `problems` too. */
  vault: VaultCheck | null;
  problems: readonly Problem[];
}>;

type Options = Readonly<{
  /** Checkpoints that were kept elsewhere: notes. The log must hold what they state. */
  anchors?: readonly string[];
  /** Where a trusted hash of the chain is known; the beginning when absent. */
  from?: Link;
  /** Walks parts of a long log at once; absent, one walk is all. */
  beside?: WalkBeside;
}>;

type VerifyOptions = Omit<Options, 'from'> &
  Readonly<{
    /** Opens the items of the vault; without them, their content is not checked. */
    encryptionKeys?: EncryptionKeys | null;
  }>;

/** Reads every event once. A chain that is broken is reported alone: what derives from it means nothing then. */
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
      problem: `table ${table} holds ${live}, a rebuild ${rebuilt}`,
    }));
  const compared = { tables: tables.length, tables_position: position, vault };
  return { ...checked, checkpoints, ...compared, problems: [...vault.problems, ...differing] };
}

/** A process that sets an audit key signs a checkpoint in the same transaction. */
async function withoutCheckpoints(db: Queryable, { position }: LogHead): Promise<Problem | null> {
  if ((await auditKeyAt(db, position)) === null) return null;
  if ((await lastSignedCheckpoint(db)) !== null) return null;
  const problem = 'the log names an audit key, and no checkpoint that it signed is stored';
  return { position, problem };
}

/** The chain holds without the payloads, and nothing can be derived from them. */
async function redactedEvents(db: Queryable): Promise<Problem | null> {
  const redacted = await readRedacted(db, redactedNamedMax);
  const text = redactedText(redacted);
  if (text === null) return null;
  return { position: redacted.positions[0] ?? null, problem: `${text}; no table can be compared` };
}

/** Tables and log are written in one transaction: tables that stand after the end of the log saw events that are gone. */
async function cutBehindTables(db: Queryable, { position }: LogHead): Promise<Problem | null> {
  const standing = await readModelStanding(db);
  if (standing === null || standing.position <= position) return null;
  // What is appended while this runs moves both.
  const { position: end } = await readHead(db);
  if (standing.position <= end) return null;
  const problem = `the log ends at ${end}, and the tables were written up to ${standing.position}`;
  return { position: end + 1, problem };
}

/** The chain alone, with its checkpoints, up to `head`. */
export async function checkChain(
  db: Queryable,
  head: LogHead,
  { anchors = [], from = firstLink(head.logId), beside }: Options = {},
): Promise<Walked> {
  const unread = anchors.find((note) => readNote(note) === null);
  if (unread !== undefined) {
    const problem = `an anchor cannot be read: ${JSON.stringify(unread)}`;
    return { checkpoints: 0, broken: { position: 1, problem }, link: from };
  }
  const range = { logId: head.logId, from, to: head.position, anchors };
  const walked =
    beside === undefined ? await walkRange(db, range) : await walkInRanges(db, range, beside);
  const broken = walked.broken ?? (await brokenEnd(db, head, walked.link, anchors));
  return { ...walked, broken };
}

/** What is wrong where the walk ended, or beyond. */
async function brokenEnd(
  db: Queryable,
  head: LogHead,
  { position, hash }: Link,
  anchors: readonly string[],
): Promise<Problem | null> {
  if (position < head.position) {
    const problem = `the log ends at ${position}, its head says ${head.position}`;
    return { position: position + 1, problem };
  }
  if (Buffer.compare(hash, head.hash) !== 0) {
    const problem = 'the head holds another hash than the last event';
    return { position: head.position, problem };
  }
  const anchored = anchors.flatMap((note) => readNote(note)?.position ?? []);
  const beyond = await positionBeyond(db, anchored);
  if (beyond === null) return null;
  const problem = `the log ends before, and a checkpoint is of ${beyond.position}`;
  return { position: beyond.end + 1, problem };
}

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
