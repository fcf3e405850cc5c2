// Tests the command path: an acknowledged mutation is in the log with all its consequences, a
// refused one leaves nothing, and an uncertain one is looked up before it is answered.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { Client } from 'pg';

import { listAudit } from '../../../projections/tables/audit-log.ts';
import { listModels } from '../../../projections/tables/models.ts';
import { createConfigStore } from '../../../src/control/publishing/config-store.ts';
import { createExecute } from '../../../src/control/commands/commit-queue.ts';
import { readEvents, readHead } from '../../../src/db/log/event-log.ts';
import type { Database } from '../../../src/db/pool.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { credentialOf, endpointAt } from '../../harness/events/examples.ts';
import { testRef } from '../../harness/events/test-log.ts';
import { person, testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';
import { postgresProxy } from '../../harness/postgres/postgres-proxy.ts';
import { until } from '../../harness/wait.ts';

const createModel = (name: string): Command => ({ type: 'CreateModel', name, fields: {} });

const credential = (ref: number) =>
  ({ ref: testRef(ref), class: 'credential', plaintext: 'same' }) as const;

const createModels = ({ run }: TestPlane, name: string) =>
  Array.from({ length: 15 }, (_, at) => run({ command: createModel(`${name}${at}`) }));

const audit = (db: Database) =>
  listAudit(db, {
    limit: 1000,
    order: 'desc',
    before: null,
    after: null,
    actorId: null,
    actorKind: null,
    action: null,
    target: null,
    since: null,
    until: null,
  });

const items = async (db: Database): Promise<unknown[]> =>
  db.query(sql`
    select ref, class, subject from vault.items where class <> 'fingerprint_key' order by ref`);

const modelNames = async (db: Database) =>
  (await listModels(db, { after: null, limit: 100_000 })).map(({ name }) => name);

describe('a mutation', () => {
  it('leaves no event, audit row or vault item when it is refused', async (t) => {
    const { plane, run, attempt } = await testPlane(t);
    await run({ command: createModel('a') });
    const [head, rows] = [await readHead(plane.db), await audit(plane.db)];
    const secret = { ref: testRef(1), class: 'credential', plaintext: 'x' } as const;
    const refused = await attempt(
      { command: createModel('a'), secrets: [secret] },
      { reason: 'because' },
    );
    assert.ok(isRefusal(refused));
    assert.equal(refused.refused, 'conflict');
    assert.deepEqual(await readHead(plane.db), head);
    assert.deepEqual(await audit(plane.db), rows);
    assert.deepEqual(await items(plane.db), []);
  });

  it('writes an audit row at the current version when a person changed nothing', async (t) => {
    const { plane, run } = await testPlane(t);
    const first = await run({ command: createModel('a') });
    const again = await run(
      { command: { type: 'SetFallbackModel', modelId: null } },
      { target: 'again' },
    );
    assert.deepEqual(
      again.events.map(({ type }) => type),
      ['NoChange'],
    );
    assert.equal(again.version, first.version);
    assert.equal(again.position, first.position + 1);
    const [row] = await audit(plane.db);
    assert.deepEqual([row?.id, row?.target], [again.position, 'again']);
  });

  it('leaves nothing when the program changed nothing', async (t) => {
    const { plane, run } = await testPlane(t);
    const head = await readHead(plane.db);
    const outcome = await run(
      { command: { type: 'SetFallbackModel', modelId: null } },
      { actor: { kind: 'system', principal_id: null } },
    );
    assert.deepEqual(outcome.events, []);
    assert.deepEqual(await readHead(plane.db), head);
  });

  it('is in the tables, the state and the snapshot when it is acknowledged', async (t) => {
    const { plane, run } = await testPlane(t);
    const outcome = await run({ command: createModel('a') });
    assert.deepEqual(await modelNames(plane.db), ['a']);
    assert.equal(plane.store.state().position, outcome.position);
    const { snapshot } = plane.publisher.current() ?? {};
    assert.equal(snapshot?.version, outcome.version);
    assert.deepEqual(
      snapshot.config.models.map(({ name }) => name),
      ['a'],
    );
  });

  it('stores the reason in the vault and its ref in the log', async (t) => {
    const { plane, run } = await testPlane(t);
    const { events } = await run({ command: createModel('a') }, { reason: 'asked for by ada' });
    const ref = events[0]?.metadata.reason_ref;
    assert.ok(ref);
    const revealed = await plane.vault.reveal(plane.db, [ref]);
    assert.equal(revealed.get(ref), 'asked for by ada');
    const [row] = await plane.db.query(sql`select reason_ref from audit_log order by id desc`);
    assert.deepEqual(row, { reason_ref: ref });
  });

  it('stores secrets with the stream that refers to them, except those of a reused provider', async (t) => {
    const { plane, run } = await testPlane(t);
    const id = (await run({ command: createModel('a') })).state.model.byId.get(1)?.id;
    assert.ok(id);
    const attach = (ref: number): Command => ({
      type: 'AttachBackend',
      id,
      target: {
        endpoint: endpointAt('https://here.example'),
        credential: credentialOf('same', ref),
        defaultName: 'here',
        answered: true,
      },
      upstreamModel: null,
      defaultMaxTokens: null,
    });
    await run({ command: attach(1), secrets: [credential(1)] });
    await run({ command: { type: 'DetachBackend', id } });
    await run({ command: attach(2), secrets: [credential(2)] });
    assert.deepEqual(await items(plane.db), [
      { ref: testRef(1), class: 'credential', subject: 'provider-1' },
    ]);
  });

  it('never has a recorded time before the previous one, whatever the clock does', async (t) => {
    const times = [5_000_000, 9_000_000, 1_000_000, 8_999_999, 9_000_001];
    let now = 0;
    const { plane, run } = await testPlane(t, { clock: () => now });
    for (const time of times) {
      now = time;
      await run({ command: createModel(`at ${time}`) });
    }
    const { position } = await readHead(plane.db);
    const events = await readEvents(plane.db, { after: position - times.length, limit: 10 });
    assert.deepEqual(
      events.map(({ recordedAt }) => recordedAt),
      [5_000_000, 9_000_000, 9_000_000, 9_000_000, 9_000_001],
    );
  });
});

describe('concurrent mutations', () => {
  it('are decided one after the other on two planes: ids and positions do not collide', async (t) => {
    const one = await testPlane(t);
    const other = await one.another();
    const before = await readHead(one.plane.db);
    const outcomes = await Promise.all([...createModels(one, 'a'), ...createModels(other, 'b')]);
    const positions = outcomes.map(({ position }) => position).toSorted((a, b) => a - b);
    assert.deepEqual(
      positions,
      outcomes.map((_, at) => before.position + 1 + at),
    );
    const ids = outcomes.flatMap(({ events }) => events.map(({ stream }) => stream));
    assert.equal(new Set(ids).size, outcomes.length);
    assert.equal(
      (await listModels(other.plane.db, { after: null, limit: 100_000 })).length,
      outcomes.length,
    );
  });

  it('give a name only once', async (t) => {
    const one = await testPlane(t);
    const other = await one.another();
    const outcomes = await Promise.all(
      [one, other, one, other].map(({ attempt }) => attempt({ command: createModel('a') })),
    );
    const refused = outcomes.filter(isRefusal).map((refusal) => refusal.refused);
    assert.deepEqual(refused, ['conflict', 'conflict', 'conflict']);
  });

  it('are decided on the state at the head, not on an older one in memory', async (t) => {
    const { plane, run } = await testPlane(t);
    const stale = createConfigStore(plane.store.cursor());
    const execute = createExecute({
      db: plane.db,
      vault: plane.vault,
      store: stale,
      publish: async () => undefined,
      clock: Date.now,
      newId: randomUUID,
      appVersion: 'test',
    });
    await run({ command: createModel('a') });
    const taken = await execute({ command: createModel('a') }, person);
    assert.ok(isRefusal(taken) && taken.refused === 'conflict');
    const outcome = await execute({ command: createModel('b') }, person);
    assert.ok(!isRefusal(outcome));
    assert.equal(outcome.events[0]?.stream, 'model-2');
  });
});

/** Terminates the backend of a command that waits for a lock. */
async function endWaitingBackend(session: Client): Promise<void> {
  await until(
    async () => {
      const { rowCount } = await session.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'gw commands'
          and wait_event_type = 'Lock'`);
      return rowCount === 1;
    },
    { what: 'a command that waits for a lock' },
  );
}

describe('a mutation whose database fails', () => {
  it('is refused with a retry time within 3 s while another session holds the log', async (t) => {
    const { run, attempt, session, plane } = await testPlane(t);
    const holder = await session();
    await holder.query('begin');
    await holder.query('select es.lock_log()');
    const startedAt = performance.now();
    const refused = await attempt({ command: createModel('a') });
    assert.ok(performance.now() - startedAt < 3000);
    assert.ok(isRefusal(refused));
    assert.deepEqual([refused.refused, refused.retryAfterSeconds], ['unavailable', 2]);
    assert.match(refused.message, /the change was not made/);
    await holder.query('rollback');
    await run({ command: createModel('a') });
    assert.deepEqual(await modelNames(plane.db), ['a']);
  });

  it('is refused within 3 s even if it had to wait for a connection first', async (t) => {
    const { attempt, session } = await testPlane(t, { connectionsMax: 2 });
    const holder = await session();
    await holder.query('begin');
    await holder.query('select es.lock_log()');
    const startedAt = performance.now();
    const attempts = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      attempt({ command: createModel(name) }),
    );
    for (const refused of await Promise.all(attempts)) assert.ok(isRefusal(refused));
    assert.ok(performance.now() - startedAt < 3000);
    await holder.query('rollback');
  });

  it('is refused as not made when the failure comes before the commit', async (t) => {
    const { plane, attempt, run, session } = await testPlane(t);
    const holder = await session();
    const killer = await session();
    const head = await readHead(plane.db);
    // The command waits at its read-model row, after writing its events, secrets and audit row.
    await holder.query('begin');
    await holder.query('select pg_advisory_lock(42)');
    await holder.query(`
      create function public.wait() returns trigger language plpgsql security definer as $$
      begin perform pg_advisory_xact_lock(42); return null; end $$;
      create trigger wait after insert on es.events execute function public.wait()`);
    await holder.query('commit');
    const attempted = attempt({ command: createModel('a') }, { reason: 'because' });
    await endWaitingBackend(killer);
    const refused = await attempted;
    assert.ok(isRefusal(refused));
    assert.equal(refused.refused, 'unavailable');
    assert.match(refused.message, /the change was not made/);
    assert.deepEqual(await readHead(plane.db), head);
    assert.deepEqual(await items(plane.db), []);
    await holder.query('drop function public.wait cascade');
    await holder.query('select pg_advisory_unlock(42)');
    await run({ command: createModel('a') });
    assert.deepEqual(await modelNames(plane.db), ['a']);
  });

  it('is found in the log and acknowledged when the failure comes after the commit', async (t) => {
    const direct = await testPlane(t);
    const proxy = await postgresProxy(t, direct.url);
    const { run, plane } = await direct.another({ databaseUrl: proxy.url });
    await run({ command: createModel('a') });
    proxy.breakCommit({ kind: 'answered' });
    const outcome = await run({ command: createModel('b') });
    assert.deepEqual(
      outcome.events.map(({ stream }) => stream),
      ['model-2'],
    );
    assert.equal(outcome.position, (await readHead(plane.db)).position);
    assert.equal(plane.publisher.current()?.snapshot.version, outcome.version);
    assert.deepEqual(await modelNames(plane.db), ['a', 'b']);
  });

  it('is not reported as not made while its commit may still succeed', async (t) => {
    const direct = await testPlane(t);
    const proxy = await postgresProxy(t, direct.url);
    const { run, plane } = await direct.another({ databaseUrl: proxy.url });
    proxy.breakCommit({ kind: 'held', until: 'es.lock_log' });
    const outcome = await run({ command: createModel('a') });
    assert.equal(outcome.position, (await readHead(plane.db)).position);
    assert.deepEqual(await modelNames(plane.db), ['a']);
  });
});
