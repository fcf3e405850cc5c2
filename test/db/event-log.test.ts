// Tests the log in Postgres: the same bytes as in TypeScript, no gaps, chained, and protected
// against every change.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { SQLQuery, Transaction } from '@databases/pg';
import * as fc from 'fast-check';

import { chainHash, digest, leafHash, seal } from '../../events/seal.ts';
import type { LogHead, SealedEvent } from '../../events/seal.ts';
import { emptyState } from '../../projections/config/state.ts';
import {
  appendEvents,
  lockLog,
  readCommand,
  readEvents,
  readHead,
  readStored,
} from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { testMetadata, testRef } from '../harness/events/test-log.ts';
import {
  appendCommand,
  openLogDatabase,
  testLogDatabase,
} from '../harness/postgres/log-database.ts';

type Texts = { metadata: string; payload: string; recordedAt: number };

/** Events with arbitrary texts, chained after `head`. The database does not interpret them. */
function chained(
  head: LogHead,
  texts: readonly Texts[],
  times: readonly number[] = texts.map(({ recordedAt }) => recordedAt),
): SealedEvent[] {
  const txId = randomUUID();
  const events: SealedEvent[] = [];
  let previous = head.hash;
  for (const [index, text] of texts.entries()) {
    const leaf = {
      position: head.position + 1 + index,
      stream: streamAt(head.position + 1 + index),
      version: 1,
      eventId: randomUUID(),
      type: 'ModelCreated',
      schema: 1,
      txId,
      recordedAt: times[index] ?? 0,
      metadata: text.metadata,
      payloadDigest: digest(text.payload),
    };
    previous = chainHash(previous, leafHash(leaf));
    events.push({ ...leaf, payload: text.payload, leafHash: leafHash(leaf), hash: previous });
  }
  return events;
}

const streamAt = (position: number): string => `model-${position}`;

/** `events` with one of them changed, and no digest after it corrected. */
function changed(
  events: readonly SealedEvent[],
  at: number,
  change: (event: SealedEvent) => Partial<SealedEvent>,
): SealedEvent[] {
  const copy = [...events];
  const event = copy[at];
  if (event !== undefined) copy[at] = { ...event, ...change(event) };
  return copy;
}

const appendAll = (db: Database, make: (head: LogHead) => readonly SealedEvent[]) =>
  db.tx(async (tx) => {
    const events = make(await lockLog(tx));
    await appendEvents(tx, events);
    return events;
  });

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a sealed event', () => {
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
  const oddTexts = [
    '{"a":1.50}',
    '{"b":1.50, "a":"\\u0041"}',
    ' {\n\t"a" : 1 }\r\n',
    '123456789012345678901234567890',
    '-0',
    '1e400',
    '0.1e-7',
    '"\\ud800 alone, \\udc00\\ud800 the wrong way round, \\ud83d\\ude00 a pair"',
    '"\\u0000 \\b\\f\\n\\r\\t\\"\\\\\\/"',
    '"é ü 漢 😀 \u2028 \u2029 \u007f"',
    '{"a":1,"a":2}',
    '[[[[]]],{},null,true,false]',
  ];
  const json = fc.oneof(
    value.map((made) => JSON.stringify(made)),
    value.map((made) => JSON.stringify(made, null, 2)),
    fc.constantFrom(...oddTexts),
  );
  // The actor is indexed, so it contains no lone surrogate and no NUL, like every accepted input.
  const metadata = json.filter((text) => !/\\u(?:0000|d[89a-f])/i.test(text));
  const texts = fc.record({
    metadata,
    payload: json,
    recordedAt: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  });

  it('has the same leaf and link in SQL, byte for byte, whatever its texts are', async (t) => {
    const db = await testLogDatabase(t);
    const pages = fc.sample(fc.array(texts, { minLength: 50, maxLength: 50, size: 'max' }), 4);
    const times = pages
      .flat()
      .map(({ recordedAt }) => recordedAt)
      .toSorted((a, b) => a - b);
    for (const page of pages) {
      const ordered = times.splice(0, page.length);
      const sent = await appendAll(db, (head) => chained(head, page, ordered));
      const start = (sent[0]?.position ?? 0) - 1;
      assert.deepEqual(await readStored(db, { after: start, limit: 50 }), sent);
      const rows: { leaf: string }[] = await db.query(sql`
        select encode(es.event_leaf(e), 'hex') as leaf from es.events e
        where position > ${start} order by position`);
      assert.deepEqual(
        rows.map(({ leaf }) => leaf),
        sent.map((event) => hex(event.leafHash)),
      );
    }
  });

  it('is appended with all events of its command, and the head moves after them', async (t) => {
    const db = await testLogDatabase(t);
    const count = 2500;
    const page = Array.from({ length: count }, (_, index) => ({
      metadata: '{}',
      payload: String(index),
      recordedAt: 7,
    }));
    const sent = await appendAll(db, (head) => chained(head, page));
    const last = sent.at(-1);
    assert.ok(last);
    const head = await readHead(db);
    assert.deepEqual([head.position, hex(head.hash), head.recordedAt], [count, hex(last.hash), 7]);
  });
});

describe('the guard', () => {
  const text = { metadata: '{}', payload: '{}', recordedAt: 1000 };
  const three = (head: LogHead) => chained(head, [text, text, text]);
  /** Three events with the second one changed, and the chain after it corrected or not. */
  const secondChanged = (change: (event: SealedEvent) => Partial<SealedEvent>) => (head: LogHead) =>
    changed(three(head), 1, change);
  const wrong = digest('wrong');

  const cases: readonly [string, string, (head: LogHead) => readonly SealedEvent[]][] = [
    ['a gap after the head', 'ES001', (head) => three({ ...head, position: head.position + 1 })],
    ['a gap within the command', 'ES001', (head) => three(head).filter((_, at) => at !== 1)],
    ['a position that is taken', '23505', (head) => three({ ...head, position: 0 })],
    ['a wrong payload digest', 'ES003', secondChanged(() => ({ payloadDigest: wrong }))],
    ['another payload', 'ES003', secondChanged(() => ({ payload: '{"a":1}' }))],
    ['the same payload in other bytes', 'ES003', secondChanged(() => ({ payload: '{ }' }))],
    ['other metadata', 'ES003', secondChanged(() => ({ metadata: '{"a":1}' }))],
    ['a wrong leaf', 'ES003', secondChanged(() => ({ leafHash: wrong }))],
    ['a wrong link', 'ES003', secondChanged(() => ({ hash: wrong }))],
    ['a chain that starts elsewhere', 'ES003', (head) => three({ ...head, hash: wrong })],
    [
      'a time before that of the head',
      'ES003',
      (head) => chained(head, [{ ...text, recordedAt: 999 }]),
    ],
    [
      'a time that goes backwards within the command',
      'ES003',
      (head) =>
        chained(head, [
          { ...text, recordedAt: 1002 },
          { ...text, recordedAt: 1001 },
        ]),
    ],
    [
      'a version of a stream that is taken',
      '23505',
      secondChanged((event) => ({ stream: streamAt(event.position - 1) })),
    ],
    [
      'a stream that is not a noun and an id',
      '23514',
      secondChanged(() => ({ stream: 'Model 1' })),
    ],
  ];

  let db: Database;
  let close: () => Promise<void>;
  before(async () => {
    ({ db, close } = await openLogDatabase());
    await appendAll(db, three);
  });
  after(() => close());

  for (const [what, code, make] of cases) {
    it(`refuses ${what}, and leaves the log as it was`, async () => {
      const head = await readHead(db);
      await assert.rejects(appendAll(db, make), { code });
      assert.deepEqual(await readHead(db), head);
      assert.equal((await readStored(db, { after: 0, limit: 10 })).length, 3);
    });
  }

  it('keeps two writers apart that have forgotten the lock', async (t) => {
    const db = await testLogDatabase(t);
    const head = await readHead(db);
    const insert = () => db.tx((tx) => appendEvents(tx, three(head)));
    const results = await Promise.allSettled([insert(), insert(), insert()]);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await readHead(db)).position, 3);
  });
});

const changes: readonly [string, SQLQuery][] = [
  ['update', sql`update es.events set type = 'Nothing'`],
  ['delete', sql`delete from es.events`],
  ['delete nothing', sql`delete from es.events where false`],
  ['truncate', sql`truncate es.events`],
];

describe('the role of the program', () => {
  const forbidden: readonly [string, SQLQuery][] = [
    ...changes,
    ['disable the triggers', sql`alter table es.events disable trigger all`],
    ['drop a trigger', sql`drop trigger events_guard on es.events`],
    ['replace the guard', sql`drop function es.events_guard() cascade`],
    ['drop the log', sql`drop table es.events`],
    ['add a column', sql`alter table es.events add column extra text`],
    ['move the head', sql`update es.log_head set position = 0`],
    ['add a head', sql`insert into es.log_head select * from es.log_head`],
    ['forget a generation of read models', sql`delete from es.read_models`],
    ['switch triggers off', sql`set session_replication_role = replica`],
    ['delete from the vault', sql`delete from vault.items`],
  ];
  let db: Database;
  let close: () => Promise<void>;
  before(async () => {
    ({ db, close } = await openLogDatabase());
  });
  after(() => close());

  for (const [what, statement] of forbidden) {
    it(`may not ${what}`, async () => {
      const asProgram = db.tx(async (tx) => {
        await lockLog(tx);
        await tx.query(statement);
      });
      await assert.rejects(asProgram, { code: '42501' });
    });
  }

  it('ends with the transaction', async (t) => {
    const db = await testLogDatabase(t, { connectionsMax: 1 });
    const role = async (): Promise<unknown> => db.query(sql`select current_user::text as name`);
    const before = await role();
    const within = await db.tx(async (tx) => {
      await lockLog(tx);
      return tx.query(sql`select current_user::text as name`);
    });
    assert.deepEqual(within, [{ name: 'gw_app' }]);
    assert.deepEqual(await role(), before);
  });
});

const replica = (tx: Transaction) => tx.query(sql`set local session_replication_role = replica`);

describe('the owner', () => {
  let db: Database;
  let close: () => Promise<void>;
  before(async () => {
    ({ db, close } = await openLogDatabase());
  });
  after(() => close());

  for (const [what, statement] of changes) {
    it(`may not ${what} without taking the triggers off, nor as a replica`, async () => {
      await assert.rejects(db.query(statement), { code: 'ES000' });
      const asReplica = db.tx(async (tx) => {
        await replica(tx);
        await tx.query(statement);
      });
      await assert.rejects(asReplica, { code: 'ES000' });
    });
  }

  it('may not append past the guard, as a replica neither', async () => {
    const asReplica = db.tx(async (tx) => {
      const head = await readHead(tx);
      await replica(tx);
      const text = { metadata: '{}', payload: '{}', recordedAt: 1 };
      await appendEvents(tx, chained({ ...head, position: 7 }, [text]));
    });
    await assert.rejects(asReplica, { code: 'ES001' });
  });
});

describe('the lock of the log', () => {
  it('is waited for no longer than the lock timeout', async (t) => {
    const db = await testLogDatabase(t);
    await db.tx(async (tx) => {
      await lockLog(tx);
      const waiting = db.tx((other) => lockLog(other), { lockTimeoutMilliseconds: 50 });
      await assert.rejects(waiting, { code: '55P03' });
    });
  });
});

describe('reading', () => {
  it('answers with the events of one command, or with none of one that never was', async (t) => {
    const db = await testLogDatabase(t);
    const first = await appendCommand(db, emptyState, [modelCreated(1, 'a')]);
    await appendCommand(db, first, [modelCreated(2, 'b'), modelCreated(3, 'c')]);
    const [, second, third] = await readEvents(db, { after: 0, limit: 10 });
    assert.ok(second && third);
    assert.deepEqual(await readCommand(db, second.txId), [second, third]);
    assert.deepEqual(await readCommand(db, randomUUID()), []);
  });

  it('gives back exactly what was sealed', async (t) => {
    const db = await testLogDatabase(t);
    const sent = await appendAll(db, (head) =>
      seal([modelCreated(1, 'gpt "4" \ud800 ü')], head, {
        txId: testRef(1),
        at: 1_800_000_000_123,
        newId: () => testRef(2),
        streamVersion: () => 0,
        metadata: testMetadata('Test'),
      }),
    );
    assert.deepEqual(await readStored(db, { after: 0, limit: 1 }), sent);
  });

  it('stops at an event that its owner has redacted, and names it', async (t) => {
    const db = await testLogDatabase(t);
    await appendCommand(db, emptyState, [modelCreated(1, 'a')]);
    await db.tx(async (tx) => {
      await tx.query(sql`alter table es.events disable trigger all`);
      await tx.query(sql`update es.events set payload = null`);
      await tx.query(sql`alter table es.events enable always trigger events_no_change`);
    });
    await assert.rejects(readEvents(db, { after: 0, limit: 1 }), /event 1 was redacted/);
  });
});
