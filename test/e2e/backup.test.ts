// Tests backup and restore: runs the shell blocks of docs/guides/back-up-and-restore.md on real
// servers.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { startEmbeddedPostgres } from '../../src/cli/postgres/embedded-postgres.ts';
import { gw } from '../harness/program/command-line.ts';
import {
  encryptionKey,
  prepareControl,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { addModel, chatStatus, createKey } from '../harness/program/demo-model.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { administrator, debianServerSite, queryOnce } from '../harness/postgres/debian-postgres.ts';
import type { DebianServer } from '../harness/postgres/debian-postgres.ts';
import { dataDirectory } from '../harness/postgres/data-directory.ts';
import {
  backupDirectory,
  blocksOf,
  clientPrograms,
  createModel,
  giveToAccount,
  installation,
  modelNames,
  show,
} from '../harness/postgres/runbook.ts';
import { until } from '../harness/wait.ts';

type Test = Pick<TestContext, 'after'>;

const page = 'back-up-and-restore.md';
const [
  backup = '',
  makeRole = '',
  restoreBackup = '',
  dump = '',
  restore = '',
  explain = '',
  baseBackup = '',
  restoreToTime = '',
  explainTime = '',
] = await blocksOf(page, 'sh');
const [serverSettings = ''] = await blocksOf(page, 'ini');

/** Checks that gw starts on the database, holds the saved state and accepts changes. */
async function worksOn(test: Test, url: string): Promise<string> {
  const { adminUrl, cookie, end } = await startControlProgram(test, url);
  const names = await modelNames(adminUrl, cookie);
  assert.match(names, /"name":"saved"/);
  await createModel(adminUrl, cookie, `after-${randomUUID()}`);
  await end('SIGTERM');
  return names;
}

const verify = (url: string) => gw(['log', 'verify'], { env: { GW_DATABASE_URL: url } });

/** The statements that gw tells an administrator to run. */
const statementsIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}(.+;)$/gm)].map(([, statement = '']) => statement);

/** Returns the directory of the dump. */
async function makeDump(t: Test): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-dump-'));
  const source = await installation(t);
  const control = await startControlProgram(t, source.url('gw', 'gw'));
  await createModel(control.adminUrl, control.cookie, 'saved');
  await show(dump, { BACKUP_DIR: directory, GW_DATABASE_URL: source.url('gw', 'gw') });
  await control.end('SIGTERM');
  await source.stop();
  return directory;
}

const contents = z.object({
  facts: z.object({
    events: z.int(),
    hash: z.string(),
    usage: z.array(z.object({ requests: z.string(), cost_micros: z.string() })),
  }),
});

const headed = z.object({
  position: z.int(),
  alarms: z.array(z.object({ explained_by_epoch: z.unknown() })),
});

const priced = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };

describe('gw backup', () => {
  it('taken under load is restored as the page describes, after everything was lost', async (t) => {
    const directory = await temporaryDirectory(t);
    const source = await installation(t);
    const control = await startControlProgram(t, source.url('gw', 'gw'));
    await addModel(t, control.admin);
    const answer = z.unknown();
    const path = '/admin/provider-models/1';
    await control.admin.send({ method: 'PATCH', path, body: priced, answer });
    const { key } = await createKey(control.admin);
    const proxy = await startProxyProgram(t, { controlUrl: control.adminUrl });
    const served = async (apiKey: string): Promise<boolean> =>
      (await chatStatus(proxy.url, apiKey)) === 200;
    await until(() => served(key), { what: 'the proxy to serve' });
    await until(async () => (await usageRows(source.url('gw'))) > 0, { what: 'usage' });

    const stopLoad = startLoad(async (turn) => {
      assert.ok(await served(key));
      await createModel(control.adminUrl, control.cookie, `model-${turn}`);
    });
    const from = { BACKUP_DIR: directory, GW_DATABASE_URL: source.url('gw', 'gw') };
    assert.match(await show(backup, from), /gw\.backup: \d+ events, head \w{64}/);
    const turns = await stopLoad();
    assert.ok(turns > 1);
    const file = `${directory}/gw.backup`;
    const key42 = { env: { GW_ENCRYPTION_KEY: encryptionKey } };
    const { stdout } = await gw(['backup', 'check', file, '--json'], key42);
    const { facts } = contents.parse(JSON.parse(stdout));
    await control.end('SIGKILL');
    await source.stop();
    assert.ok(await served(key), 'the proxy serves without database and control plane');

    const site = await debianServerSite(t);
    await site.initialise();
    const { url } = await site.start();
    await show(makeRole, { ADMIN_URL: url('postgres') });
    const restored = { BACKUP_DIR: directory, RESTORED_URL: url('gw', 'gw') };
    const output = await show(restoreBackup, restored);
    assert.match(output, /the restored log, vault and sums of usage equal those of the backup/);
    const [event] = await queryOnce(
      url('gw'),
      `select encode(hash, 'hex') as hash from es.events where position = ${facts.events}`,
    );
    assert.equal(event?.['hash'], facts.hash);
    const [sums] = await queryOnce(
      url('gw'),
      `select count(*)::text as requests, sum(cost_micros)::text as cost_micros
       from op.usage_events`,
    );
    assert.deepEqual([sums], facts.usage);
    await assert.rejects(show(restoreBackup, restored), /already contains a log/);

    const port = new URL(control.adminUrl).port;
    const again = await startControlProgram(t, url('gw', 'gw'), { GW_ADMIN_PORT: port });
    const fresh = await createKey(again.admin);
    await until(() => served(fresh.key), { what: 'the proxy to follow the restored log' });
    assert.ok(await served(key));
    await until(async () => (await usageRows(url('gw'))) > Number(facts.usage[0]?.requests), {
      what: 'usage after the restore',
    });
    const { alarms } = await again.admin.get('/admin/log/head', headed);
    assert.ok(alarms.every(({ explained_by_epoch: epoch }) => epoch !== null));
    assert.equal((await verify(url('gw', 'gw'))).code, 0);
  });

  it('restores nothing from a file that was cut', async (t) => {
    const directory = await temporaryDirectory(t);
    const source = await installation(t);
    await show(backup, { BACKUP_DIR: directory, GW_DATABASE_URL: source.url('gw', 'gw') });
    const file = `${directory}/gw.backup`;
    await truncate(file, (await stat(file)).size - 100);
    await queryOnce(source.url('postgres'), 'create database other owner gw');
    const url = source.url('other', 'gw');
    const env = { ...clientPrograms(), GW_ENCRYPTION_KEY: encryptionKey, GW_DATABASE_URL: url };
    const { code, stderr } = await gw(['restore', file], { env });
    assert.equal(code, 1);
    assert.match(stderr, /^gw: the backup was cut or changed/);
    const [row] = await queryOnce(url, "select to_regnamespace('es') is null as is_empty");
    assert.equal(row?.['is_empty'], true);
  });

  it('says which program is missing, and leaves no file', async (t) => {
    const directory = await temporaryDirectory(t);
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const env = { PATH: directory, GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey };
    const file = `${directory}/gw.backup`;
    const { code, stderr } = await gw(['backup', '-o', file], { env });
    assert.equal(code, 1);
    assert.match(stderr, /^gw: pg_dump was not found; install the client programs of Postgres/);
    assert.deepEqual(await readdir(directory), []);
    const other = { ...env, GW_ENCRYPTION_KEY: '43'.repeat(32) };
    const refused = await gw(['backup', '-o', file], { env: other });
    assert.match(refused.stderr, /^gw: GW_ENCRYPTION_KEY is key \w{8}, but this database is/);
  });
});

const usageRows = async (url: string): Promise<number> =>
  Number((await queryOnce(url, 'select count(*) as rows from op.usage_events'))[0]?.['rows']);

/** Repeats `work` until the returned function is called, which returns the number of turns. */
function startLoad(work: (turn: number) => Promise<void>): () => Promise<number> {
  const stop = new AbortController();
  const loop = async (): Promise<number> => {
    let turn = 0;
    while (!stop.signal.aborted) await work(turn++);
    return turn;
  };
  const running = loop();
  return () => {
    stop.abort();
    return running;
  };
}

describe('a dump', () => {
  let made: Promise<string> | null = null;
  after(async () => rm(await (made ?? ''), { recursive: true, force: true }));
  /** Created once for all of these tests. */
  const dumped = (t: Test): Promise<string> => (made ??= makeDump(t));

  it('can be restored as the page describes, on the same release of Postgres and on a newer one', async (t) => {
    const directory = await dumped(t);
    const site = await debianServerSite(t);
    await site.initialise();
    const sameRelease = (await site.start()).url;
    for (const url of [sameRelease, await newerServer(t)]) {
      const restored = { BACKUP_DIR: directory, RESTORED_URL: url('gw', 'gw') };
      await show(restore, {
        ...restored,
        ADMIN_URL: url('postgres'),
        RESTORED_ADMIN_URL: url('gw'),
      });
      const output = await show(explain, restored);
      assert.match(output, /the chain is intact, and \d+ tables match a rebuild/);
      assert.match(output, /a new epoch starts/);
      await worksOn(t, url('gw', 'gw'));
    }
  });

  it('restored without roles, works after the statements that gw prints', async (t) => {
    const directory = await dumped(t);
    const site = await debianServerSite(t);
    await site.initialise();
    const { url } = await site.start();
    await queryOnce(url('postgres'), 'create role other login', 'create database gw');
    const careless = 'pg_restore --no-owner --dbname="$RESTORED_ADMIN_URL" "$BACKUP_DIR/gw.dump"';
    const variables = { BACKUP_DIR: directory, RESTORED_ADMIN_URL: url('gw') };
    await assert.rejects(show(careless, variables), /role "gw_app" does not exist/);

    const refused = await verify(url('gw', 'other'));
    assert.equal(refused.code, 1);
    const statements = statementsIn(refused.stderr);
    assert.ok(statements.includes('create role gw_app nologin;'), refused.stderr);
    await queryOnce(url('gw'), ...statements);
    const verified = await verify(url('gw', 'other'));
    assert.equal(verified.code, 0, verified.stderr);
    await worksOn(t, url('gw', 'other'));
  });

  it('needs no statements if a control process starts as an administrator of the server', async (t) => {
    const directory = await dumped(t);
    const site = await debianServerSite(t);
    await site.initialise();
    const { url } = await site.start();
    await queryOnce(url('postgres'), 'create database gw');
    const careless = 'pg_restore --no-owner --dbname="$RESTORED_ADMIN_URL" "$BACKUP_DIR/gw.dump"';
    const variables = { BACKUP_DIR: directory, RESTORED_ADMIN_URL: url('gw') };
    await assert.rejects(show(careless, variables), /role "gw_app" does not exist/);
    await worksOn(t, url('gw'));
    assert.equal((await verify(url('gw'))).code, 0);
  });
});

/** Starts the embedded server, with an administrator of the same name as on the other servers. */
async function newerServer(t: Test): Promise<DebianServer['url']> {
  const server = await startEmbeddedPostgres({
    directory: (await dataDirectory()).directory,
    log: () => {},
    options: { fsync: 'off' },
    ephemeral: true,
  });
  t.after(server.stop);
  // The embedded server already has a superuser and a database gw.
  const as = (login: string, database: string): string =>
    server.url.replace('://gw@', `://${login}@`).replace('/gw?', `/${database}?`);
  await queryOnce(as('gw', 'postgres'), `create role ${administrator} superuser login`);
  await queryOnce(
    as(administrator, 'postgres'),
    'drop database gw with (force)',
    'alter role gw rename to bootstrap',
  );
  return (database, login = administrator) => as(login, database);
}

describe('a base backup with archived WAL', () => {
  it('can be restored to a point in time, with the role and all rights', async (t) => {
    const directory = await backupDirectory(t);
    const settings = [...serverSettings.matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('/backup', directory)] as const,
    );
    const source = await installation(t, Object.fromEntries(settings));
    await show(baseBackup, {
      BACKUP_DIR: directory,
      REPLICATION_URL: source.url('postgres'),
    });
    const control = await startControlProgram(t, source.url('gw', 'gw'));
    await createModel(control.adminUrl, control.cookie, 'saved');
    const [row] = await queryOnce(source.url('postgres'), 'select now()::text as moment');
    const moment = String(row?.['moment']);
    await createModel(control.adminUrl, control.cookie, 'lost');
    await control.end('SIGTERM');
    await archived(source);
    await source.stop();

    const site = await debianServerSite(t);
    await show(restoreToTime, {
      BACKUP_DIR: directory,
      RESTORED_DATA: site.data,
      RESTORE_TIME: moment,
    });
    await giveToAccount(site.data);
    const restored = await site.start();
    const isPrimary = async (): Promise<boolean> => {
      const [recovery] = await queryOnce(
        restored.url('postgres'),
        'select pg_is_in_recovery() as is_on',
      );
      return recovery?.['is_on'] === false;
    };
    await until(isPrimary, { what: 'that the server was promoted' });
    const variables = { RESTORED_URL: restored.url('gw', 'gw'), RESTORE_TIME: moment };
    const output = await show(explainTime, variables);
    assert.match(output, /the chain is intact/);
    assert.match(output, /a new epoch starts/);
    const names = await worksOn(t, restored.url('gw', 'gw'));
    assert.doesNotMatch(names, /"name":"lost"/);
  });
});

/** Waits until the archive contains all WAL up to now. */
async function archived(server: DebianServer): Promise<void> {
  const url = server.url('postgres');
  const [row] = await queryOnce(url, 'select pg_walfile_name(pg_switch_wal()) as file');
  const isThere = async (): Promise<boolean> => {
    const [archiver] = await queryOnce(
      url,
      `select coalesce(last_archived_wal >= '${String(row?.['file'])}', false) as is_there
       from pg_stat_archiver`,
    );
    return archiver?.['is_there'] === true;
  };
  await until(isThere, { what: 'the last WAL file in the archive' });
}
