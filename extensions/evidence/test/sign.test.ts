// Tests when checkpoints are signed: when due, for a consistent log, with the audit key that the
// log names.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { isNoteSigned } from '../../../events/checkpoint.ts';
import { readNote } from '../../../events/note.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { checkChain } from '../../../src/control/log/verify-log.ts';
import { auditKey, nextAuditKey } from '../../../test/harness/control/signed-log.ts';
import { testPlane } from '../../../test/harness/control/plane.ts';
import { testSigner } from './signer.ts';

const fiveMinutes = 5 * 60 * 1000;
const model = (name: string) => ({ command: { type: 'CreateModel', name, fields: {} } }) as const;

describe('checkpoints', () => {
  it('state the head and the hash there, and the log names the key', async (t) => {
    const { plane } = await testPlane(t);
    const signer = testSigner(plane);
    const signed = await signer.signDue();
    const head = await readHead(plane.db);
    const stated = readNote(signed?.note ?? '');
    assert.equal(stated?.position, head.position);
    assert.deepEqual(Buffer.from(stated.hash), head.hash);
    assert.ok(isNoteSigned(signed?.note ?? '', auditKey.publicKey));
    assert.deepEqual(signer.emitted, [signed]);
    const { auditKey: named } = plane.store.state().settings.byId.get(1) ?? {};
    assert.equal(named, auditKey.publicKey);
    const { broken, checkpoints } = await checkChain(plane.db, head);
    assert.deepEqual([broken, checkpoints], [null, 1]);
  });

  it('are due five minutes later when the head moved, and not while it did not', async (t) => {
    const { plane, run } = await testPlane(t);
    const signer = testSigner(plane);
    await signer.signDue();
    signer.pass(fiveMinutes);
    assert.equal(await signer.signDue(), null);
    await run(model('m'));
    assert.ok(await signer.signDue());
    await run(model('n'));
    assert.equal(await signer.signDue(), null);
    signer.pass(fiveMinutes - 1);
    assert.equal(await signer.signDue(), null);
    signer.pass(1);
    assert.ok(await signer.signDue());
  });

  it('are due a thousand events later at once', async (t) => {
    const { plane, run } = await testPlane(t);
    const signer = testSigner(plane);
    await signer.signDue();
    const since = plane.store.state().position;
    for (let at = 0; plane.store.state().position < since + 1000; at++) {
      await Promise.all('0123456789'.split('').map((digit) => run(model(`${at}-${digit}`))));
      const isDue = plane.store.state().position >= since + 1000;
      assert.equal((await signer.signDue()) !== null, isDue);
    }
  });

  it('are signed once, however many replicas sign', async (t) => {
    const { plane } = await testPlane(t);
    const [one, other] = [testSigner(plane), testSigner(plane)];
    await one.signDue();
    assert.equal(await other.signDue(), null);
    assert.deepEqual([one.emitted.length, other.emitted.length], [1, 0]);
  });

  it('go over to another key by the word of the one before, and not without it', async (t) => {
    const { plane, run } = await testPlane(t);
    await testSigner(plane).signDue();
    const alone = testSigner(plane, { key: nextAuditKey });
    await assert.rejects(alone.signDue(), /GW_AUDIT_SIGNING_KEY_PREVIOUS/);
    const next = testSigner(plane, { key: nextAuditKey, previousKey: auditKey });
    next.pass(fiveMinutes);
    const signed = await next.signDue();
    assert.ok(isNoteSigned(signed?.note ?? '', nextAuditKey.publicKey));
    await assert.rejects(testSigner(plane).signDue(), /the audit key of the log is/);
    await run(model('m'));
    const { broken, checkpoints } = await checkChain(plane.db, await readHead(plane.db));
    assert.deepEqual([broken, checkpoints], [null, 2]);
  });

  it('are not signed of a log that was altered, and that is an alarm', async (t) => {
    const { plane, run, session } = await testPlane(t);
    const signer = testSigner(plane);
    await signer.signDue();
    await run(model('m'));
    const { position } = plane.store.state();
    const superuser = await session();
    await superuser.query('alter table es.events disable trigger all');
    await superuser.query(`update es.events set payload = '{}' where position = ${position}`);
    signer.pass(fiveMinutes);
    await assert.rejects(signer.signDue(), /is invalid at position \d+: the payload does not/);
    await assert.rejects(signer.signDue(), /while an alarm of the log is open: position \d+/);
    assert.deepEqual(
      (await signer.alarms.list()).map((alarm) => [alarm.position, alarm.problem]),
      [[position, 'the payload does not match its digest']],
    );
    assert.equal(signer.emitted.length, 1);
    const [row]: { count: number }[] = await plane.db.query(
      sql`select count(*) as count from es.checkpoints`,
    );
    assert.equal(row?.count, 1);
  });

  it('are not signed after an alarm was deleted from the database by hand', async (t) => {
    const { plane, run, session } = await testPlane(t);
    const signer = testSigner(plane);
    await signer.signDue();
    const { alarms } = signer;
    const seen = { replica: 'proxy-1', seen_hash: '11'.repeat(32), log_hash: null };
    await alarms.raise({ ...seen, position: 9_999, problem: 'the log ends before', epoch: 0 });
    const superuser = await session();
    await superuser.query('delete from op.log_alarms');
    await run(model('m'));
    signer.pass(fiveMinutes);
    await assert.rejects(signer.signDue(), /while an alarm of the log is open: position 9999/);
    assert.deepEqual([(await alarms.list()).length, alarms.open()], [1, 1]);
    // A divergence that an epoch explains needs no stored state.
    await run({ command: { type: 'StartEpoch' } });
    assert.equal(alarms.open(), 0);
    assert.ok(await signer.signDue());
  });

  it('are not signed while an old alarm is open, however many newer ones an epoch explains', async (t) => {
    const { plane, run } = await testPlane(t);
    const { alarms } = testSigner(plane);
    const seen = { problem: 'the log ends before', replica: 'proxy-1', log_hash: null };
    const seen_hash = '11'.repeat(32);
    await alarms.raise({ ...seen, seen_hash, position: 9_999, epoch: null });
    for (const position of Array.from({ length: 100 }, (_, at) => 20_000 + at)) {
      await alarms.raise({ ...seen, seen_hash, position, epoch: 0 });
    }
    await run({ command: { type: 'StartEpoch' } });
    const restarted = testSigner(plane);
    await assert.rejects(restarted.signDue(), /while an alarm of the log is open: position 9999/);
    assert.equal((await restarted.alarms.list()).length, 101);
  });

  it('are not signed by a new process of a log whose checkpoints were removed', async (t) => {
    const { plane, run, session } = await testPlane(t);
    await testSigner(plane).signDue();
    await run(model('m'));
    const superuser = await session();
    await superuser.query('alter table es.checkpoints disable trigger all');
    await superuser.query('delete from es.checkpoints');
    const restarted = testSigner(plane);
    await assert.rejects(restarted.signDue(), /the database has no checkpoint signed with it/);
    assert.deepEqual(restarted.emitted, []);
    assert.equal(restarted.alarms.open(), 1);
    // A new epoch explains the alarm, and a new key signs from there. Both are decisions of the
    // operator.
    await run({ command: { type: 'StartEpoch' } });
    await assert.rejects(testSigner(plane).signDue(), /has no checkpoint/);
    await run({ command: { type: 'StartEpoch' } });
    const next = testSigner(plane, { key: nextAuditKey, previousKey: auditKey });
    assert.ok(await next.signDue());
  });

  it('are not signed of a log that contradicts the kept checkpoint', async (t) => {
    const { plane, session } = await testPlane(t);
    const before = testSigner(plane);
    const kept = await before.signDue();
    assert.ok(kept !== null);
    const superuser = await session();
    await superuser.query('alter table es.checkpoints disable trigger all');
    await superuser.query('alter table es.events disable trigger all');
    await superuser.query('update es.checkpoints set position = position - 1');
    await superuser.query(
      `update es.events set hash = sha256('another past') where position = ${kept.position}`,
    );
    const restarted = testSigner(plane, { kept: { note: kept.note, epoch: 0 } });
    await assert.rejects(restarted.signDue(), /a saved checkpoint has another hash at position/);
    const [alarm] = await restarted.alarms.list();
    assert.equal(alarm?.position, kept.position);
    // A process that keeps running knows it too, from its own verification.
    before.pass(fiveMinutes);
    await assert.rejects(before.signDue(), /while an alarm of the log is open/);
    assert.deepEqual(restarted.emitted, []);
  });
});
