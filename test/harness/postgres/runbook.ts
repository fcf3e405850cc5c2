// Runs the shell blocks of pages that describe database servers, on real servers of Debian.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import {
  makePrivateDirectory,
  postgresAccount,
} from '../../../src/cli/postgres/postgres-account.ts';
import { encryptionKey, prepareControl } from '../program/control-program.ts';
import { debianPostgres } from './debian.ts';
import { debianServerSite, queryOnce } from './debian-postgres.ts';

const root = path.join(import.meta.dirname, '../../..');
type Test = Pick<TestContext, 'after'>;

const run = promisify(execFile);

/** The blocks of a page of docs/guides in a language, in order. */
export async function blocksOf(page: string, language: string): Promise<readonly string[]> {
  const text = await readFile(path.join(root, 'docs/guides', page), 'utf8');
  const pattern = new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms');
  return [...text.matchAll(pattern)].map(([, indent = '', block = '']) =>
    `\n${block}`.replaceAll(`\n${indent}`, '\n').slice(1),
  );
}

/** Runs a block with these variables and returns its output. */
export async function show(
  block: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  assert.notEqual(block, '');
  const { PATH } = clientPrograms();
  const env = {
    ...process.env,
    PATH: [path.join(root, 'test/docs/bin'), PATH].join(path.delimiter),
    GW_NODE: process.execPath,
    GW_ENCRYPTION_KEY: encryptionKey,
    ...variables,
  };
  return (await run('bash', ['-euo', 'pipefail', '-c', block], { env })).stdout;
}

/** An environment whose PATH has pg_dump and the others. */
export const clientPrograms = (): Readonly<{ PATH: string }> => ({
  PATH: [debianPostgres().bin, process.env['PATH']].join(path.delimiter),
});

/** Creates a directory that the server's account can also write to. */
export async function backupDirectory(test: Test): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-backup-'));
  await chmod(directory, 0o755);
  await mkdir(path.join(directory, 'wal'));
  await makePrivateDirectory(postgresAccount(), path.join(directory, 'wal'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts a server with a database owned by the login gw, like an installation. */
export async function installation(test: Test, options: Readonly<Record<string, string>> = {}) {
  const site = await debianServerSite(test);
  await site.initialise();
  const server = await site.start(options);
  await queryOnce(
    server.url('postgres'),
    'create role gw login',
    'create role gw_app nologin',
    'grant gw_app to gw',
    'create database gw owner gw',
  );
  await prepareControl(server.url('gw', 'gw'));
  return server;
}

export const createModel = async (
  adminUrl: string,
  cookie: string,
  name: string,
): Promise<void> => {
  const answer = await fetch(`${adminUrl}/admin/provider-models`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  assert.equal(answer.status, 200, await answer.text());
};

export async function modelNames(adminUrl: string, cookie: string): Promise<string> {
  return (await fetch(`${adminUrl}/admin/provider-models`, { headers: { cookie } })).text();
}

/** Operators run the commands as the server's account; these tests may run as root. */
export async function giveToAccount(directory: string): Promise<void> {
  const account = postgresAccount();
  if (account === null) return;
  await chown(directory, account.uid, account.gid);
  for (const name of await readdir(directory)) {
    const entry = path.join(directory, name);
    if ((await lstat(entry)).isDirectory()) await giveToAccount(entry);
    else await chown(entry, account.uid, account.gid);
  }
}
