// Tests that verification finds any change made directly to a log, in its database or in an export,
// and names the position: with `gw log verify`, `gw log verify-export`, and the standalone
// verifier. GW_TEST_TAMPERINGS sets the number of changes.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { Transaction } from '@databases/pg';
import * as fc from 'fast-check';
import { z } from 'zod';

import { isNoteSigned, signedNote, signingKey } from '../../events/checkpoint.ts';
import { readNote } from '../../events/note.ts';
import { chainHash, digest, leafHash } from '../../events/seal.ts';
import { readExport } from '../../src/control/log/read-export.ts';
import { checkChain } from '../../src/control/log/verify-log.ts';
import { readHead, readStored } from '../../src/db/log/event-log.ts';
import type { StoredEvent } from '../../src/db/log/event-log.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/pool.ts';
import {
  exported,
  nextAuditKey,
  signedPlane,
  unanchored,
  verifyOffline,
} from '../harness/control/signed-log.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { verifyInProcess } from '../harness/control/verifier.ts';

const tamperings = Number(process.env['GW_TEST_TAMPERINGS'] ?? 60);
/**
 * The standalone verifier checks each log in this process, and every twentieth in a process of its
 * own.
 */
const processEvery = 20;

const kinds = ['edit', 'rehash', 'rewrite', 'delete', 'swap', 'move', 'truncate', 'forge'] as const;
type Tampering = Readonly<{ kind: (typeof kinds)[number]; at: number; to: number; field: number }>;

/** `at` and `to` are fractions of the log's length. */
const tampering: fc.Arbitrary<Tampering> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  to: fc.double({ min: 0, max: 0.999, noNaN: true }),
  field: fc.nat(),
});

const thief = signingKey(new Uint8Array(32).fill(9));

type Log = Readonly<{ events: readonly StoredEvent[]; notes: readonly string[] }>;

/** Recomputes the hash of the event, as anyone with database access could. */
function resealed(event: StoredEvent, previous: Uint8Array): StoredEvent {
  const payloadDigest = digest(event.payload ?? '');
  const leaf = leafHash({ ...event, payloadDigest });
  return { ...event, payloadDigest, leafHash: leaf, hash: chainHash(previous, leaf) };
}

const renamed = (event: StoredEvent): StoredEvent => ({
  ...event,
  payload: (event.payload ?? '').replace(/}$/, ' }'),
});

const edits: readonly ((event: StoredEvent) => StoredEvent)[] = [
  renamed,
  (event) => ({ ...event, metadata: event.metadata.replace(/}$/, ' }') }),
  (event) => ({ ...event, stream: `${event.stream}0` }),
  (event) => ({ ...event, version: event.version + 100 }),
  (event) => ({ ...event, type: `${event.type}Again` }),
  (event) => ({ ...event, schema: event.schema + 1 }),
  (event) => ({ ...event, recordedAt: event.recordedAt + 1 }),
  (event) => ({ ...event, eventId: '00000000-0000-4000-8000-00000000dead' }),
  (event) => ({ ...event, txId: '00000000-0000-4000-8000-00000000dead' }),
  (event) => ({ ...event, payloadDigest: digest('another') }),
  (event) => ({ ...event, leafHash: digest('another') }),
  (event) => ({ ...event, hash: digest('another') }),
];

const previous = (of: readonly StoredEvent[], at: number): Uint8Array =>
  of[at - 1]?.hash ?? new Uint8Array(32);

/**
 * `latest`: the position by which it must be found. `isCut`: only a checkpoint kept elsewhere shows
 * that something is missing.
 */
type Tampered = Log & Readonly<{ latest: number; isCut?: boolean }>;

/** Returns the log after tampering; its head is the last event. */
function tamper(log: Log, { kind, at, to, field }: Tampering): Tampered {
  const { events, notes } = log;
  const index = Math.floor(at * events.length);
  const other = Math.floor(to * events.length);
  const [low, high] = [Math.min(index, other), Math.max(index, other)];
  const event = events[index];
  assert.ok(event !== undefined);
  switch (kind) {
    case 'edit': {
      const edit = edits[field % edits.length] ?? renamed;
      return { notes, events: events.with(index, edit(event)), latest: index + 1 };
    }
    case 'rehash': {
      // The event has a valid hash, but the next event or the head does not follow from it.
      const altered = resealed(renamed(event), previous(events, index));
      return { notes, events: events.with(index, altered), latest: index + 2 };
    }
    case 'rewrite': {
      // All later hashes are valid; only signatures reveal the change.
      const altered = [...events.slice(0, index), renamed(event), ...events.slice(index + 1)];
      for (let i = index; i < altered.length; i++) {
        const one = altered[i];
        if (one !== undefined) altered[i] = resealed(one, previous(altered, i));
      }
      return { notes, events: altered, latest: events.length };
    }
    case 'delete':
      if (index === events.length - 1) return tamper(log, { kind: 'truncate', at, to, field });
      return { notes, events: events.toSpliced(index, 1), latest: index + 1 };
    case 'swap': {
      const [one, two] = [events[low], events[high]];
      assert.ok(one !== undefined && two !== undefined);
      if (low === high) return tamper(log, { kind: 'delete', at, to, field });
      const swapped = events
        .with(low, { ...two, position: one.position })
        .with(high, { ...one, position: two.position });
      return { notes, events: swapped, latest: low + 1 };
    }
    case 'move': {
      if (low === high) return tamper(log, { kind: 'delete', at, to, field });
      const moved = events.toSpliced(index, 1).toSpliced(other, 0, event);
      const renumbered = moved.map((one, i) => Object.assign({}, one, { position: i + 1 }));
      return { notes, events: renumbered, latest: low + 1 };
    }
    case 'truncate':
      // Later checkpoints are removed too; only one kept elsewhere reveals it.
      return {
        notes: notes.filter((note) => (readNote(note)?.position ?? 0) <= index),
        events: events.slice(0, index),
        latest: index + 1,
        isCut: true,
      };
    case 'forge':
      return { ...forge(log, { at: to, field }), events, latest: events.length };
  }
}

/** Forges one of the notes without its key. */
function forge({ notes }: Log, { at, field }: Pick<Tampering, 'at' | 'field'>) {
  const index = Math.floor(at * notes.length);
  const note = notes[index] ?? '';
  const stated = readNote(note);
  assert.ok(stated !== null);
  const [text = '', signature = ''] = note.split('\n\n');
  const forged = [
    signedNote(stated, thief),
    signedNote({ ...stated, hash: digest('another') }, thief),
    `${text.replace(/[^\n]{44}$/, Buffer.from(digest('another')).toString('base64'))}\n\n${signature}`,
    note.replace(/.\n$/, '\n'),
    `${text}\n\n${signature.slice(0, -8)}${signature.at(-8) === 'A' ? 'B' : 'A'}${signature.slice(-7)}`,
  ];
  return { notes: notes.with(index, forged[field % forged.length] ?? '') };
}

describe(`${tamperings} random tamperings`, { timeout: 3_600_000 }, () => {
  let log: Log;
  let db: Database;
  let text: string;
  let directory: string;
  const closing: (() => Promise<void> | void)[] = [];

  before(async () => {
    const test = { after: (close: () => Promise<void>) => void closing.unshift(close) };
    const { plane, url } = await signedPlane(test);
    directory = await temporaryDirectory(test);
    db = openDatabase({
      url,
      purpose: 'maintenance',
      applicationName: 'gw test',
      connectionsMax: 1,
    });
    closing.unshift(() => db.dispose());
    text = await exported(plane.reports);
    const events = await readStored(db, { after: 0, limit: 1000 });
    const rows: { note: string }[] = await db.query(
      sql`select note from es.checkpoints order by position`,
    );
    log = { events, notes: rows.map(({ note }) => note) };
    await plane.close();
  });
  after(async () => {
    for (const close of closing) await close();
  });

  it('have no false positive in an unchanged log and export', async () => {
    const { broken, checkpoints } = await checkChain(db, await readHead(db), {
      anchors: log.notes,
    });
    assert.deepEqual([broken, checkpoints], [null, 2 * log.notes.length]);
    const check = await readExport(text.trimEnd().split('\n'), { anchors: log.notes });
    assert.equal(check.problem, null);
    const file = path.join(directory, 'whole.ndjson');
    await writeFile(file, text);
    const pinned = ['--key', nextAuditKey.publicKey];
    const { code, stdout } = await verifyOffline(file, ...pinned);
    const [last = 0, to] = [log.notes.at(-1)?.split('\n')[1], log.events.length].map(Number);
    const signed = `up to position ${last}, ${Number(to) - last} events behind`;
    assert.deepEqual(
      [code, stdout],
      [
        0,
        `${log.events.length} events, 4 checkpoints: all valid; signed: ${signed}\n${unanchored}`,
      ],
    );
    assert.deepEqual(await verifyInProcess(file, ...pinned), { code, stdout });
    assert.ok(isNoteSigned(log.notes.at(-1) ?? '', nextAuditKey.publicKey));
  });

  it('are all found in the database', async () => {
    await unguard(db);
    await fc.assert(
      fc.asyncProperty(tampering, async (given) => {
        const tampered = tamper(log, given);
        const anchors = tampered.isCut === true ? log.notes : [];
        const found = await tamperedCheck(db, tampered, anchors);
        assert.ok(found !== null, 'nothing was found');
        const { position } = found;
        assert.ok(position !== null && position <= tampered.latest, JSON.stringify(found));
      }),
      { numRuns: tamperings },
    );
  });

  it('are all found in an export, with gw and without', async () => {
    const file = path.join(directory, 'tampered.ndjson');
    const kept = path.join(directory, 'kept.ndjson');
    const anchorText = log.notes
      .map((checkpoint) => `${JSON.stringify({ checkpoint })}\n`)
      .join('');
    await writeFile(kept, anchorText);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(tampering, async (given) => {
        const tampered = tamper(log, given);
        const { isCut = false } = tampered;
        const altered = exportOf(text, tampered);
        const check = await readExport(altered.trimEnd().split('\n'), {
          anchors: isCut ? log.notes : [],
        });
        assert.ok(check.problem !== null, 'nothing was found with gw');
        assert.ok(check.problem.position <= tampered.latest + 1, JSON.stringify(check.problem));
        runs += 1;
        await writeFile(file, altered);
        const words = [file, ...(isCut ? ['--anchor', kept] : [])];
        const { code, stdout } = await verifyInProcess(...words);
        assert.equal(code, 10, `nothing was found without gw: ${stdout}`);
        const [, position] = /^position (\d+): /.exec(stdout) ?? [];
        assert.ok(Number(position) <= tampered.latest + 1, stdout);
        if (runs % processEvery > 0) return;
        assert.deepEqual(await verifyOffline(...words), { code, stdout });
      }),
      { numRuns: tamperings },
    );
  });

  it('of any one character of an export are found', async () => {
    const lines = text.trimEnd().split('\n');
    const place = fc.record({
      line: fc.nat(lines.length - 1),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      character: fc.constantFrom(...'0a",{}: \\'.split('')),
    });
    await fc.assert(
      fc.asyncProperty(place, async ({ line, at, character }) => {
        const held = lines[line] ?? '';
        const index = Math.floor(at * held.length);
        fc.pre(held[index] !== character);
        const altered = held.slice(0, index) + character + held.slice(index + 1);
        const { problem } = await readExport(lines.with(line, altered));
        assert.ok(problem !== null, altered);
      }),
      { numRuns: tamperings * 4 },
    );
  });
});

/** Disables the protections that an attacker with database access would disable first. */
async function unguard(db: Database): Promise<void> {
  await db.query(sql`alter table es.events disable trigger all`);
  await db.query(sql`alter table es.checkpoints disable trigger all`);
  await db.query(sql`alter table es.events drop constraint events_event_id_key`);
  await db.query(sql`alter table es.events drop constraint events_stream_version_key`);
}

/** Verifies this log in the database, then restores the database. */
async function tamperedCheck(db: Database, { events, notes }: Log, anchors: readonly string[]) {
  let found: Awaited<ReturnType<typeof checkChain>>['broken'] = null;
  const undone = new Error('undone');
  const attempt = db.tx(async (tx) => {
    // A busy machine may delay this process beyond the default limit of a transaction.
    await tx.query(sql`set local idle_in_transaction_session_timeout = 0`);
    await tx.query(sql`delete from es.checkpoints`);
    await tx.query(sql`delete from es.events`);
    await writeLog(tx, { events, notes });
    found = (await checkChain(tx, await readHead(tx), { anchors })).broken;
    throw undone;
  });
  await attempt.catch((error: unknown) => assert.equal(error, undone));
  return found as Awaited<ReturnType<typeof checkChain>>['broken'];
}

async function writeLog(tx: Transaction, { events, notes }: Log): Promise<void> {
  const rows = events.map(({ payloadDigest, leafHash, hash, ...event }) => ({
    ...event,
    payloadDigest: hex(payloadDigest),
    leafHash: hex(leafHash),
    hash: hex(hash),
  }));
  await tx.query(sql`
    insert into es.events
    select (e->>'position')::bigint, e->>'stream', (e->>'version')::integer, (e->>'eventId')::uuid,
      e->>'type', (e->>'schema')::smallint, (e->>'txId')::uuid,
      to_timestamp((e->>'recordedAt')::bigint / 1000.0), (e->>'metadata')::json,
      (e->>'payload')::json, decode(e->>'payloadDigest', 'hex'), decode(e->>'leafHash', 'hex'),
      decode(e->>'hash', 'hex')
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as e`);
  const last = events.at(-1);
  if (last !== undefined) {
    await tx.query(sql`
      update es.log_head set position = ${last.position}, hash = ${Buffer.from(last.hash)}`);
  }
  for (const note of notes) {
    // A forger stores the row at its position; the note may name another.
    const position = notePosition(note);
    await tx.query(sql`insert into es.checkpoints (position, note) values (${position}, ${note})`);
  }
}

const notePosition = (note: string): number => Number(note.split('\n')[1]);
const lineSchema = z.record(z.string(), z.unknown());

/** The export of this log by someone who corrects its first and last line. */
function exportOf(text: string, { events, notes }: Log): string {
  const [first = '{}'] = text.split('\n', 1);
  const head = lineSchema.parse(JSON.parse(first));
  const last = events.at(-1);
  const to = last?.position ?? 0;
  const behind = Map.groupBy(notes, notePosition);
  const lines = events.flatMap((event) => [
    JSON.stringify({
      position: event.position,
      stream: event.stream,
      version: event.version,
      event_id: event.eventId,
      type: event.type,
      schema: event.schema,
      tx_id: event.txId,
      recorded_at: event.recordedAt,
      metadata: event.metadata,
      payload: event.payload,
      payload_digest: hex(event.payloadDigest),
      leaf_hash: hex(event.leafHash),
      hash: hex(event.hash),
    }),
    ...(behind.get(event.position) ?? []).map((checkpoint) => JSON.stringify({ checkpoint })),
  ]);
  const checkpoints = notes.filter((note) => notePosition(note) <= to).length;
  const hash = last === undefined ? head['previous_hash'] : hex(last.hash);
  const end = { end: to, hash, events: to, checkpoints };
  return `${[JSON.stringify({ ...head, to }), ...lines, JSON.stringify(end)].join('\n')}\n`;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
