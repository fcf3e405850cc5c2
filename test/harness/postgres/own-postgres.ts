// A Postgres of the test's own, which goes away and comes back when the test says.

import { randomUUID } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { startEmbeddedPostgres } from '../../../src/cli/postgres/embedded-postgres.ts';
import { dataDirectory } from './data-directory.ts';

/** It can be stopped and started again on the same data, at the same address. */
export async function ownPostgres(test: TestContext) {
  const { directory } = await dataDirectory();
  // Each start has a socket directory of its own; the link is what stays.
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
