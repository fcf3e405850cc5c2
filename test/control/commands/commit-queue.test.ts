// Tests that mutations waiting for the log are committed together, each with the result that it
// would have alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { verifyLog } from '../../../src/control/log/verify-log.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { credentialOf, endpointAt } from '../../harness/events/examples.ts';
import { testRef } from '../../harness/events/test-log.ts';
import { person, testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';
import { until } from '../../harness/wait.ts';

const createModel = ({ attempt }: TestPlane, name: string) =>
  attempt({ command: { type: 'CreateModel', name, fields: {} } }, { target: name });

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `model ${at}`);

/** Runs the mutations while another session holds the log lock, so that all of them wait. */
async function whileLocked<Value>(test: TestPlane, send: () => Promise<Value>): Promise<Value> {
  const session = await test.session();
  await session.query('begin');
  await session.query('select pg_advisory_xact_lock(7100002)');
  const sent = send();
  const isWaited = async (): Promise<boolean> => {
    const { rows } = await session.query('select 1 from pg_locks where not granted limit 1');
    return rows.length === 1;
  };
  await until(isWaited, { what: 'a session that waits for the log' });
  await session.query('commit');
  return sent;
}

/** The number of transactions and commands of the events after `position`. */
async function written({ plane }: TestPlane, position: number) {
  const [row]: { transactions: number; commands: number }[] = await plane.db.query(sql`
    select count(distinct xmin::text) as transactions, count(distinct tx_id) as commands
    from es.events where position > ${position}`);
  return row;
}

describe('mutations that wait together', () => {
  it('are committed in one transaction in order of arrival, each with an audit row and a version', async (t) => {
    const test = await testPlane(t);
    const { position } = test.plane.store.state();
    const outcomes = await whileLocked(test, () =>
      Promise.all(names(10).map((name) => createModel(test, name))),
    );
    const versions = outcomes.map((one) => (isRefusal(one) ? one : one.version));
    assert.deepEqual(
      versions,
      versions.map((_, at) => position + 1 + at),
    );
    assert.deepEqual(await written(test, position), { transactions: 1, commands: 10 });
    const rows: { target: string }[] = await test.plane.db.query(
      sql`select target from audit_log where id > ${position} order by id`,
    );
    assert.deepEqual(
      rows.map(({ target }) => target),
      names(10),
    );
  });

  it('are decided one after the other: a name is given once', async (t) => {
    const test = await testPlane(t);
    const { position } = test.plane.store.state();
    const outcomes = await whileLocked(test, () =>
      Promise.all(['a', 'a', 'b', 'a'].map((name) => createModel(test, name))),
    );
    assert.deepEqual(
      outcomes.map((one) => (isRefusal(one) ? one.refused : 'made')),
      ['made', 'conflict', 'made', 'conflict'],
    );
    assert.deepEqual(await written(test, position), { transactions: 1, commands: 2 });
  });

  it('share one round trip, and their rows equal those of a rebuild', async (t) => {
    const test = await testPlane(t);
    const outcomes = await whileLocked(test, () =>
      Promise.all(
        ['a', 'b', 'c'].map((name) =>
          test.attempt({
            command: {
              type: 'CreateProvider',
              name,
              defaultName: name,
              kind: 'static',
              catalogueKey: null,
              endpoint: endpointAt(`https://${name}.example`),
              credential: credentialOf(name, name.charCodeAt(0)),
            },
            secrets: [{ ref: testRef(name.charCodeAt(0)), class: 'credential', plaintext: name }],
          }),
        ),
      ),
    );
    assert.ok(outcomes.every((one) => !isRefusal(one)));
    const refs = ['a', 'b', 'c'].map((name) => testRef(name.charCodeAt(0)));
    const kept = await test.plane.vault.reveal(test.plane.db, refs);
    assert.deepEqual([...kept.values()].toSorted(), ['a', 'b', 'c']);
    assert.deepEqual((await verifyLog(test.plane.db)).problems, []);
  });

  it('are not affected by an error in one of them', async (t) => {
    const test = await testPlane(t);
    const broken = new Error('an answer that cannot be rendered');
    const settled = await whileLocked(test, () =>
      Promise.allSettled([
        createModel(test, 'before'),
        test.plane.execute(
          { command: { type: 'CreateModel', name: 'broken', fields: {} } },
          { ...person, conclude: () => Promise.reject(broken) },
        ),
        createModel(test, 'behind'),
      ]),
    );
    assert.deepEqual(
      settled.map((one) => (one.status === 'rejected' ? one.reason : isRefusal(one.value))),
      [false, broken, false],
    );
    const held = [...test.plane.store.state().model.byId.values()].map(({ name }) => name);
    assert.deepEqual(held, ['before', 'behind']);
  });

  it('are all refused within 3 s when the log cannot be locked', async (t) => {
    const test = await testPlane(t);
    const { position } = test.plane.store.state();
    const session = await test.session();
    await session.query('begin');
    await session.query('select pg_advisory_xact_lock(7100002)');
    const startedAt = performance.now();
    const outcomes = await Promise.all(names(30).map((name) => createModel(test, name)));
    assert.ok(performance.now() - startedAt < 3000);
    for (const one of outcomes) assert.ok(isRefusal(one) && one.refused === 'unavailable');
    await session.query('commit');
    assert.deepEqual(await written(test, position), { transactions: 0, commands: 0 });
  });
});
