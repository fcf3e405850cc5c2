// Tests backup and restore: runs the shell blocks of docs/guides/back-up-and-restore.md on real
// servers.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { startEmbeddedPostgres } from '../../src/cli/postgres/embedded-postgres.ts';
import { gw } from '../harness/program/command-line.ts';
import { startControlProgram } from '../harness/program/control-program.ts';
import { administrator, debianServerSite, queryOnce } from '../harness/postgres/debian-postgres.ts';
import type { DebianServer } from '../harness/postgres/debian-postgres.ts';
import { dataDirectory } from '../harness/postgres/data-directory.ts';
import {
  backupDirectory,
  blocksOf,
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
