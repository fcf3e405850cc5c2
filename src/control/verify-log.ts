// Verification: the log's chain from the first event to the head, and everything derived from it against a rebuild.
// It trusts nothing that the database computed.

import type { Queryable } from '@databases/pg';

import { chainHash, digest, genesisHash, leafHash } from '../../events/seal.ts';
import type { LogHead } from '../../events/seal.ts';
import { verifyReadModel } from '../../projections/read-model.ts';
import { readHead, readStored, toRecorded } from '../db/event-log.ts';
import type { StoredEvent } from '../db/event-log.ts';
import type { Database } from '../db/pool.ts';

/** What is wrong, and at which position where it has one. */
export type Problem = Readonly<{ position: number | null; problem: string }>;

export type LogCheck = Readonly<{
  events: number;
  head: Readonly<{ position: number; hash: string }>;
  /** How many tables were compared with a rebuild; snapshot_versions, with the hash of each version, is one of them. */
  tables: number;
  problems: readonly Problem[];
}>;

const pageEvents = 5000;

/** Reads every event once. A chain that is broken is reported alone: what derives from it means nothing then. */
export async function verifyLog(db: Database): Promise<LogCheck> {
  const head = await readHead(db);
  const expected = { position: head.position, hash: hex(head.hash) };
  const broken = await verifyChain(db, head);
  if (broken !== null) {
    return { events: head.position, head: expected, tables: 0, problems: [broken] };
  }
  const tables = await verifyReadModel(db);
  const problems = tables
    .filter((table) => !table.equal)
    .map(({ table, live, rebuilt }) => ({
      position: null,
      problem: `table ${table} holds ${live}, a rebuild ${rebuilt}`,
    }));
  return { events: head.position, head: expected, tables: tables.length, problems };
}

type Link = { position: number; hash: Uint8Array; recordedAt: number };

/** The chain alone, up to `head`; null when it holds. */
export async function verifyChain(db: Queryable, head: LogHead): Promise<Problem | null> {
  let previous: Link = { position: 0, hash: genesisHash(head.logId), recordedAt: 0 };
  while (previous.position < head.position) {
    const limit = Math.min(pageEvents, head.position - previous.position);
    const events = await readStored(db, { after: previous.position, limit });
    for (const event of events) {
      const problem = brokenLink(previous, event);
      if (problem !== null) return { position: previous.position + 1, problem };
      previous = event;
    }
    if (events.length === 0) {
      const problem = `the log ends at ${previous.position}, its head says ${head.position}`;
      return { position: previous.position + 1, problem };
    }
  }
  if (same(previous.hash, head.hash)) return null;
  return {
    position: head.position,
    problem: 'the head holds another hash than the last event',
  };
}

function brokenLink(previous: Link, event: StoredEvent): string | null {
  if (event.position !== previous.position + 1) return `the next event is ${event.position}`;
  if (event.payload !== null && !same(digest(event.payload), event.payloadDigest)) {
    return 'the payload does not have its digest';
  }
  if (!same(leafHash(event), event.leafHash)) return 'the envelope does not have its leaf hash';
  if (!same(chainHash(previous.hash, event.leafHash), event.hash)) {
    return 'the event does not follow the one before it in the hash chain';
  }
  if (event.recordedAt < previous.recordedAt) return 'the event is older than the one before it';
  if (event.payload === null) return null;
  try {
    toRecorded(event);
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  return null;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
