// Tests disaster recovery: a lost database is rebuilt from an export of its log and its sealed
// vault, with identical hashes.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { readModelSchema, verifyReadModel } from '../../../projections/read-model.ts';
import { erasing, personalData } from '../../../src/control/vault/erase.ts';
import { replayLog, vaultLines } from '../../../src/control/log/replay.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { verifyVault } from '../../../src/control/vault/verify-vault.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { openDatabase } from '../../../src/db/pool.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { gw } from '../../harness/program/command-line.ts';
import { exported, signedPlane } from '../../harness/control/signed-log.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { fourEyes, path as requests, renameModel } from '../../harness/admin/four-eyes.ts';
import { person, testKey, testPlane } from '../../harness/control/plane.ts';
import { testDatabase } from '../../harness/postgres/postgres.ts';

const lines = (text: string) => text.trimEnd().split('\n').values();
async function* each(text: string) {
  yield* lines(text);
}

const snapshotOf = (plane: ControlPlane) => {
  const { config_hash, log, version, secrets, config } = plane.publisher.current()?.snapshot ?? {};
  return { config_hash, log, version, secrets, config };
};

async function vaultText({ db }: ControlPlane): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of vaultLines(db)) pieces.push(piece);
  return pieces.join('');
}

describe('a log that is replayed', () => {
  it('reaches the same head, tables and snapshot, including secrets', async (t) => {
    const { plane, run } = await signedPlane(t);
    const secret = { ref: '5b0c2f4e-8a3d-4c55-9a57-3f2f9d1c7e10', plaintext: 's' } as const;
    await run({
      command: {
        type: 'CreateProvider',
        name: 'p',
        defaultName: 'p',
        kind: 'static',
        catalogueKey: null,
        endpoint: {
          api_base: 'https://a.example/v1',
          protocol: 'openai',
          auth_header: 'authorization',
          auth_scheme: 'Bearer',
        },
        credential: { kind: 'static', ref: secret.ref, fingerprint: 'f' },
      },
      secrets: [{ ...secret, class: 'credential' }],
    });
    const log = await exported(plane.reports);
    const directory = await temporaryDirectory(t);
    const [logFile, vaultFile] = ['log.ndjson', 'vault.ndjson'].map((name) =>
      path.join(directory, name),
    );
    await writeFile(logFile ?? '', log);
    await writeFile(vaultFile ?? '', await vaultText(plane));
    const { url } = await testDatabase(t);
    const files = [logFile ?? '', '--vault', vaultFile ?? '', '--into', url];
    const replayed = await gw(['log', 'replay', ...files]);
    assert.deepEqual([replayed.code, replayed.stderr], [0, '']);
    const head = await readHead(plane.db);
    const hash = Buffer.from(head.hash).toString('hex');
    assert.match(
      replayed.stdout,
      new RegExp(`^${head.position} events and 4 checkpoints, head ${hash}`),
    );
    assert.doesNotMatch(replayed.stdout, /not in the vault/);

    const again = await openControlPlane({
      databaseUrl: url,
      encryptionKey: testKey,
      connectionsMax: 2,
      appVersion: 'test',
      clock: Date.now,
      onFailure: (what, error) => assert.fail(`${what}: ${String(error)}`),
    });
    try {
      assert.deepEqual(await readHead(again.db), head);
      assert.equal(await exported(again.reports), log);
      assert.deepEqual(await verifyReadModel(again.db), await verifyReadModel(plane.db));
      await plane.refresh();
      assert.deepEqual(snapshotOf(again), snapshotOf(plane));
    } finally {
      await again.close();
    }
  });

  it('reports how much is missing without its vault', async (t) => {
    const { plane, run } = await testPlane(t);
    const ref = '5b0c2f4e-8a3d-4c55-9a57-3f2f9d1c7e10';
    await run({
      command: { type: 'CreatePrincipal', name: named(ref), kind: 'user', emailRef: null },
      secrets: [{ ref, class: 'personal', plaintext: 'Ada' }],
    });
    const db = await emptyDatabase(t);
    const replayed = await replayLog(db, { log: each(await exported(plane.reports)), vault: null });
    assert.ok('missing' in replayed);
    assert.equal(replayed.missing, 1);
  });

  it('restores nothing that was erased after its vault was exported', async (t) => {
    const { plane, run } = await testPlane(t);
    const ref = '5b0c2f4e-8a3d-4c55-9a57-3f2f9d1c7e10';
    await run({
      command: { type: 'CreatePrincipal', name: named(ref), kind: 'user', emailRef: null },
      secrets: [{ ref, class: 'personal', plaintext: 'Ada' }],
    });
    const { lastId } = plane.store.state().principal;
    await run({ command: { type: 'DeletePrincipal', id: principalId.parse(lastId) } });
    const vault = await vaultText(plane);
    const erasure = await personalData(plane.db, principalId.parse(lastId));
    const erased = await plane.execute(erasing(erasure), person);
    assert.ok(!isRefusal(erased));
    const db = await emptyDatabase(t);
    await replayLog(db, { log: each(await exported(plane.reports)), vault: each(vault) });
    const items: unknown[] = await db.query(
      sql`select body, erased_at is null as kept from vault.items where ref = ${ref}`,
    );
    assert.deepEqual(items, [{ body: null, kept: false }]);
    assert.deepEqual((await verifyVault(db, { encryptionKey: testKey })).problems, []);
  });

  it('restores no calls of a change request that ended after its vault was exported', async (t) => {
    const { ada, draft, plane } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')]);
    const ref = plane.store.state().change_request.byId.get(1)?.draft?.body_ref ?? assert.fail();
    const vault = await vaultText(plane);
    assert.equal((await ada('POST', `${requests}/${id}/withdraw`, {})).status, 200);
    const db = await emptyDatabase(t);
    await replayLog(db, { log: each(await exported(plane.reports)), vault: each(vault) });
    const items: unknown[] = await db.query(sql`select body from vault.items where ref = ${ref}`);
    assert.deepEqual(items, [{ body: null }]);
  });

  it('is refused and leaves nothing when the export is invalid or the database is not empty', async (t) => {
    const { plane } = await signedPlane(t);
    const text = await exported(plane.reports);
    const db = await emptyDatabase(t);
    const broken = text.replace('"name":"a3"', '"name":"a4"').replace('\\"a3\\"', '\\"a4\\"');
    const refused = await replayLog(db, { log: each(broken), vault: null });
    assert.ok('refused' in refused);
    assert.match(refused.message, /^the export is invalid at position \d+: the payload/);
    assert.equal((await readHead(db)).position, 0);
    const part = await replayLog(db, { log: each(await exported(plane.reports, 5)), vault: null });
    assert.ok('refused' in part && /starts at position 5/.test(part.message));
    const held = await replayLog(plane.db, { log: each(text), vault: null });
    assert.ok('refused' in held && /already contains a log/.test(held.message));
  });
});

describe('rebuilt read models', () => {
  it('replace altered ones under concurrent readers and writers', async (t) => {
    const { plane, run, url } = await testPlane(t);
    await run({ command: { type: 'CreateModel', name: 'm', fields: {} } });
    const env = { GW_DATABASE_URL: url };
    const table = sql.ident(readModelSchema, 'models');
    await plane.db.query(sql`update ${table} set name = 'altered'`);
    const found = await gw(['projections', 'verify'], { env });
    assert.deepEqual([found.code, found.stdout.startsWith('models has')], [10, true]);
    const building = gw(['projections', 'rebuild'], { env });
    const done = new AbortController();
    const built = building.finally(() => done.abort());
    for (let at = 0; !done.signal.aborted; at++) {
      await run({ command: { type: 'CreateModel', name: `n${at}`, fields: {} } });
      const rows: unknown[] = await plane.db.query(sql`select name from models`);
      assert.equal(rows.length, at + 2);
    }
    assert.equal((await built).code, 0);
    const again = await gw(['projections', 'verify'], { env });
    assert.match(again.stdout, /^\d+ tables match a rebuild\n$/);
  });
});

const named = (ref: string) => ({ text: null, ref, fingerprint: 'f' });

async function emptyDatabase(t: { after: (close: () => Promise<void>) => void }) {
  const { url, drop } = await testDatabase();
  const options = {
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 2,
  } as const;
  const db = openDatabase({ url, ...options });
  t.after(async () => {
    await db.dispose();
    await drop();
  });
  return db;
}
