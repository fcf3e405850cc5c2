// Gives each test a migrated database of its own on one real Postgres, in the time it takes to copy a template.

import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { startEmbeddedPostgres } from '../../src/cli/embedded-postgres.ts';
import { createDatabase, dropDatabase } from '../../src/db/administer.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/pool.ts';

/** A server given by the user, or started by the global setup for all test files. */
export const serverVariable = 'GW_TEST_DATABASE_URL';
export const templateVariable = 'GW_TEST_TEMPLATE';

export type TestServer = Readonly<{ url: string; template: string; stop: () => Promise<void> }>;

export type TestDatabase = Readonly<{
  url: string;
  /** The same database as a superuser, for faults such as ending the sessions of others. */
  superuserUrl: string;
  drop: () => Promise<void>;
}>;

/** With a test's context the database goes when the test ends. */
export async function testDatabase(test?: Pick<TestContext, 'after'>): Promise<TestDatabase> {
  const server = await currentServer();
  const name = databaseName('test');
  await createDatabase(server.url, { name, template: server.template });
  const url = inDatabase(server.url, name);
  const drop = (): Promise<void> => dropDatabase(server.url, name);
  test?.after(drop);
  return { url, superuserUrl: url, drop };
}

/** Starts a server, or takes the one that the user gave, and makes the template there. */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env[serverVariable];
  if (given !== undefined && given !== '') return withTemplate(given, async () => {});
  const server = await startEmbeddedPostgres({
    directory: path.join(os.tmpdir(), databaseName('gw-postgres')),
    log: () => {},
    options: { fsync: 'off', max_connections: '200', shared_buffers: '64MB' },
    ephemeral: true,
  });
  return withTemplate(server.url, server.stop);
}

async function withTemplate(url: string, stop: () => Promise<void>): Promise<TestServer> {
  const template = databaseName('template');
  try {
    await createDatabase(url, { name: template, template: 'template0' });
    await migrateOnce(inDatabase(url, template));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    template,
    stop: async () => {
      await dropDatabase(url, template);
      await stop();
    },
  };
}

async function migrateOnce(url: string): Promise<void> {
  const database = openDatabase({
    url,
    purpose: 'maintenance',
    applicationName: 'gw test template',
    connectionsMax: 1,
  });
  try {
    await migrate(database);
  } finally {
    await database.dispose();
  }
}

/** The global setup's server; for a file that is run alone, one that ends with this process. */
function currentServer(): Promise<TestServer> | TestServer {
  const url = process.env[serverVariable];
  const template = process.env[templateVariable];
  if (url !== undefined && template !== undefined) return { url, template, stop: async () => {} };
  return ownServer();
}

const ownServer = once(async () => {
  const server = await startTestServer();
  process.once('beforeExit', () => void server.stop());
  return server;
});

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => (made ??= make());
}

const databaseName = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

function inDatabase(url: string, name: string): string {
  const [, start, query] = /^([^?]*\/)[^/?]*(\?.*)?$/.exec(url) ?? [];
  if (start === undefined) throw new Error(`not a database URL with a database name: ${url}`);
  return `${start}${name}${query ?? ''}`;
}
