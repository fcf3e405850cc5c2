// Starts a Postgres server that a test can stop and start.

import { randomUUID } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { startEmbeddedPostgres } from '../../../src/cli/postgres/embedded-postgres.ts';
import { dataDirectory } from './data-directory.ts';

/** A restart keeps the data and the address. */
export async function ownPostgres(test: TestContext) {
  const { directory } = await dataDirectory();
  // Each start has its own socket directory; a link to it keeps the address stable.
  const link = path.join(os.tmpdir(), `gw-${randomUUID().slice(0, 8)}`);
  const start = async () => {
    const running = await startEmbeddedPostgres({
      directory,
      log: () => {},
      options: { fsync: 'off' },
    });
    await rm(link, { force: true });
    await symlink(decodeURIComponent(new URL(running.url).hostname), link);
    return running;
  };
  let running = await start();
  test.after(async () => {
    await running.stop();
    await rm(link, { force: true });
    await rm(directory, { recursive: true, force: true });
  });
  return {
    url: `postgres://gw@${encodeURIComponent(link)}:5432/gw?sslmode=disable`,
    stop: () => running.stop(),
    start: async () => void (running = await start()),
  };
}
