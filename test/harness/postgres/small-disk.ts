// Starts Postgres with a database on a small disk that a test can fill and free. The disk is a
// tmpfs in a mount namespace of the server, so it needs no root and disappears with the server.

import { randomUUID } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import {
  makePrivateDirectory,
  postgresAccount,
} from '../../../src/cli/postgres/postgres-account.ts';
import { postgresHome } from '../../../src/cli/postgres/postgres-home.ts';
import { findPostgresPrograms } from '../../../src/cli/postgres/postgres-programs.ts';
import { initialise, startOrAdopt, stopServer } from '../../../src/cli/postgres/postgres-server.ts';
import type { TestDatabase } from './postgres.ts';

export type SmallDisk = Readonly<{
  database: TestDatabase;
  /** Writes until the server reports that its disk is full. */
  fill: () => Promise<void>;
  free: () => Promise<void>;
}>;

const diskMegabytes = 64;
const diskFull = '53100';

export async function postgresOnSmallDisk(test: Pick<TestContext, 'after'>): Promise<SmallDisk> {
  const account = postgresAccount();
  const home = await postgresHome(account, path.join(os.tmpdir(), `gw-small-${randomUUID()}`));
  const found = await findPostgresPrograms(account, home.directory);
  const disk = path.join(home.directory, 'disk');
  await makePrivateDirectory(account, disk);
  const control = path.join(home.directory, 'pg_ctl');
  await writeFile(control, mountingScript(found.control, disk), { mode: 0o755 });
  if (account !== null) await chown(control, account.uid, account.gid);
  const programs = { initdb: found.initdb, control };
  const site = { account, home, programs, data: path.join(home.directory, 'data') };
  await initialise(site, () => {});
  const running = await startOrAdopt(site, { log: () => {}, options: { fsync: 'off' } });
  const urlOf = (name: string): string =>
    `postgres://gw@${encodeURIComponent(running.socketDirectory)}:5432/${name}?sslmode=disable`;
  const server = new Client({ connectionString: urlOf('postgres') });
  await server.connect();
  await server.query(`create tablespace small location '${disk}'`);
  await server.query('create database small tablespace small template template0');
  const inside = new Client({ connectionString: urlOf('small') });
  await inside.connect();
  test.after(async () => {
    await Promise.all([server.end(), inside.end()]);
    await stopServer(site, running, 'immediate');
    await home.remove();
  });
  return {
    database: { url: urlOf('small'), superuserUrl: urlOf('small'), drop: async () => {} },
    fill: async () => {
      await inside.query('create unlogged table public.filler (text text)');
      // The last insert writes one row, so that less than a page stays free.
      for (const rows of [1000, 10, 1]) await insertUntilFull(inside, rows);
    },
    free: async () => void (await inside.query('drop table public.filler')),
  };
}

/**
 * The account is root in a user namespace only while mounting; the server runs as the account
 * itself.
 */
const mountingScript = (control: string, disk: string): string => `#!/bin/sh
if [ "$(eval echo \\\${$#})" != start ]; then exec '${control}' "$@"; fi
uid=$(id -u) gid=$(id -g)
exec unshare --user --map-root-user --mount sh -c '
  mount -t tmpfs -o size=${diskMegabytes}m,mode=0777 none "$1" || exit 1
  uid=$2 gid=$3; shift 3
  exec unshare --user --map-user="$uid" --map-group="$gid" "$@"
' sh '${disk}' "$uid" "$gid" '${control}' "$@"
`;

async function insertUntilFull(client: Client, rows: number): Promise<void> {
  const insert = `insert into public.filler select repeat('x', 1800) from generate_series(1, ${rows})`;
  for (;;) {
    try {
      await client.query(insert);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === diskFull) return;
      throw error;
    }
  }
}
