// Tests several control replicas on one database, as processes: each accepts any write, each sees
// what another acknowledged, and a new release takes over while writes continue.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { fingerprint } from '../../projections/read-model.ts';
import { verifyLog } from '../../src/control/log/verify-log.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/pool.ts';
import {
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { otherRelease } from '../harness/program/other-release.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

const rounds = Number(process.env['GW_TEST_ROUNDS'] ?? 12);

type Answered = Readonly<{ status: number; headers: Headers; body: unknown }>;

async function send(
  { adminUrl, cookie }: ControlProgram,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered> {
  const answer = await fetch(new URL(path, adminUrl), {
    method,
    headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

const record = z.object({ id: z.int(), name: z.string() });
const named = z.array(z.object({ name: z.string() }));

/**
 * Writes on one replica, then reads the record, the list, the audit log and a proxy's snapshot on
 * the other.
 */
async function writeAndRead(writer: ControlProgram, reader: ControlProgram, name: string) {
  const made = await send(writer, 'POST', '/admin/frontend-models', { name });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id } = record.parse(made.body);
  const one = await send(reader, 'GET', `/admin/frontend-models/${id}`);
  assert.equal(record.parse(one.body).name, name);
  const list = named.parse((await send(reader, 'GET', '/admin/frontend-models')).body);
  assert.ok(
    list.some((held) => held.name === name),
    `${name} is listed`,
  );
  const audit = z
    .array(z.object({ action: z.string() }))
    .parse((await send(reader, 'GET', '/admin/audit?limit=1')).body);
  assert.equal(audit[0]?.action, 'POST');
  const version = Number(made.headers.get('x-gw-snapshot-version'));
  const snapshot = await fetch(`${reader.adminUrl}/snapshot?at_least=${version}`, {
    headers: { authorization: `Bearer ${proxyToken}` },
  });
  assert.ok(z.object({ version: z.int() }).parse(await snapshot.json()).version >= version);
}

function openLog(test: TestContext, url: string): Database {
  const options = {
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 2,
  } as const;
  const db = openDatabase({ url, ...options });
  test.after(() => db.dispose());
  return db;
}

describe('control replicas', () => {
  it('see what another acknowledged in records, lists, the audit log and snapshots', async (t) => {
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const start = () => startControlProgram(t, url);
    const [one, other] = await Promise.all([start(), start()]);
    for (let round = 0; round < rounds; round++) {
      await writeAndRead(one, other, `one-${round}`);
      await writeAndRead(other, one, `other-${round}`);
    }
  });

  it('revoke a right everywhere at once', async (t) => {
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const start = () => startControlProgram(t, url);
    const [one, other] = await Promise.all([start(), start()]);
    assert.equal((await send(other, 'GET', '/admin/keys')).status, 200);
    // Principal 2 is the administrator, who revokes the only role.
    assert.equal(
      (await send(one, 'DELETE', '/admin/principals/2/roles/admin?force=true')).status,
      200,
    );
    assert.equal((await send(other, 'GET', '/admin/keys')).status, 403);
  });
});

type Generation = { fingerprint: string; position: number; status: string };

const generations = (db: Database): Promise<Generation[]> =>
  db.query(sql`select fingerprint, position, status from es.read_models order by built_at`);

describe('a rolling upgrade', () => {
  it('loses no write, and each release sees what the other acknowledged', async (t) => {
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const older = await startControlProgram(t, url);
    const running = new AbortController();
    const acknowledged: string[] = [];
    const write = async (writer: number): Promise<void> => {
      for (let at = 0; !running.signal.aborted || at < rounds; at++) {
        const name = `during-${writer}-${at}`;
        const { status } = await send(older, 'POST', '/admin/provider-models', { name });
        assert.equal(status, 200);
        acknowledged.push(name);
      }
    };
    const writers = [write(1), write(2)];
    const newer = await startControlProgram(t, url, {}, await otherRelease(t)).finally(() =>
      running.abort(),
    );
    await Promise.all(writers);
    for (let round = 0; round < rounds; round++) {
      await writeAndRead(older, newer, `older-${round}`);
      await writeAndRead(newer, older, `newer-${round}`);
    }
    const db = openLog(t, url);
    const { position } = (await verifyLog(db)).head;
    const held = await generations(db);
    assert.deepEqual(
      held.map((one) => [one.fingerprint === fingerprint, one.position, one.status]),
      [
        [true, position, 'live'],
        [false, position, 'live'],
      ],
    );
    assert.deepEqual((await verifyLog(db)).problems, []);

    await older.end('SIGTERM');
    const last = await send(newer, 'POST', '/admin/provider-models', { name: 'behind' });
    assert.equal(last.status, 200);
    const models = await send(newer, 'GET', '/admin/provider-models?limit=1000');
    const names = new Set(named.parse(models.body).map(({ name }) => name));
    assert.deepEqual(
      [...acknowledged, 'behind'].filter((name) => !names.has(name)),
      [],
    );
  });
});
