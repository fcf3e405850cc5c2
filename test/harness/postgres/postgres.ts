// Creates an isolated database per test on one Postgres server by copying a template.

import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { startEmbeddedPostgres } from '../../../src/cli/postgres/embedded-postgres.ts';
import { prepareDatabase } from '../../../src/control/plane.ts';
import { createDatabase, dropDatabase } from '../../../src/db/administer.ts';
import type { NewDatabase } from '../../../src/db/administer.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/pool.ts';
import { dataDirectory } from './data-directory.ts';
import { until } from '../wait.ts';

/** The URL of a server that the developer started. */
const serverVariable = 'GW_TEST_DATABASE_URL';
/** The socket of the global setup, which starts one server for all test files. */
export const setupVariable = 'GW_TEST_SETUP';

const address = z.object({
  url: z.string(),
  /** The prefix of the template names. */
  template: z.string(),
  strategy: z.literal('file_copy').optional(),
});

export type TestServer = Readonly<z.infer<typeof address> & { stop: () => Promise<void> }>;

/** The templates: one with migrations only, and one that a control plane has initialised. */
const migrated = 'migrated';
const emptyLog = 'empty_log';
/** Postgres' own template. */
const blank = 'template0';

export type TestDatabase = Readonly<{
  url: string;
  /** The same database as a superuser, for faults such as ending other sessions. */
  superuserUrl: string;
  drop: () => Promise<void>;
}>;

/** With a test context, drops the database when the test ends. */
export function testDatabase(test?: Pick<TestContext, 'after'>): Promise<TestDatabase> {
  return copiedDatabase(emptyLog, test);
}

/** A database without read models, for tests that build them or need only a log. */
export const migratedDatabase = (): Promise<TestDatabase> => copiedDatabase(migrated);

/** A database without migrations. */
export const blankDatabase = (test: Pick<TestContext, 'after'>): Promise<TestDatabase> =>
  copiedDatabase(blank, test);

async function copiedDatabase(
  kind: typeof emptyLog | typeof migrated | typeof blank,
  test?: Pick<TestContext, 'after'>,
): Promise<TestDatabase> {
  const { url: serverUrl, template: prefix, strategy } = await currentServer();
  const name = databaseName('test');
  const template = kind === blank ? blank : `${prefix}_${kind}`;
  await createDatabase(serverUrl, { name, template, strategy });
  const url = inDatabase(serverUrl, name);
  const drop = (): Promise<void> => dropDatabase(serverUrl, name);
  test?.after(drop);
  return { url, superuserUrl: url, drop };
}

/**
 * A copy of a database that is filled once for all test files: the first caller fills it while
 * others wait. It is dropped with the server.
 */
export async function filledDatabase(
  name: (typeof filledNames)[number],
  fill: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const server = await currentServer();
  const { strategy } = server;
  const template = `${server.template}_${name}`;
  const copy = databaseName('test');
  const drop = (): Promise<void> => dropDatabase(server.url, copy);
  const of = (database: string, drop: () => Promise<void>): TestDatabase => {
    const url = inDatabase(server.url, database);
    return { url, superuserUrl: url, drop };
  };
  const copied = (): Promise<Copied> => createFrom(server.url, { name: copy, template, strategy });
  // Filled under a temporary name, so that `template` is always complete.
  const filling = `${template}_filling`;
  const empty = { template: `${server.template}_${emptyLog}`, strategy };
  if (
    (await copied()) === 'absent' &&
    (await createDatabase(server.url, { name: filling, ...empty }))
  ) {
    try {
      await fill(of(filling, async () => {}));
      await createDatabase(server.url, { name: template, template: filling, strategy });
    } finally {
      await dropDatabase(server.url, filling);
    }
  }
  await until(async () => (await copied()) === 'copied', {
    limitMs: 60_000,
    what: `the database ${name} is filled`,
  });
  return of(copy, drop);
}

const noSuchDatabase = '3D000';
const inUse = '55006';

type Copied = 'copied' | 'absent' | 'busy';

async function createFrom(url: string, database: NewDatabase): Promise<Copied> {
  try {
    await createDatabase(url, database);
    return 'copied';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === noSuchDatabase) return 'absent';
    // The template is being copied.
    if (code === inUse) return 'busy';
    throw error;
  }
}

/** Starts a server, or uses the developer's, and creates the templates. */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env[serverVariable];
  if (given !== undefined && given !== '') return withTemplates(given, {});
  const { directory, isInMemory } = await dataDirectory();
  const server = await startEmbeddedPostgres({
    directory,
    log: () => {},
    options: settings,
    ephemeral: true,
  });
  // In memory, copying files takes half the time of also writing each page to the WAL.
  return withTemplates(server.url, {
    stop: server.stop,
    ...(isInMemory ? { strategy: 'file_copy' } : {}),
  });
}

/** The data is discarded after the run, so durability is off. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  autovacuum: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
};

/** Templates that test files fill once for all of them. */
const filledNames = ['company', 'counted'] as const;

async function withTemplates(
  url: string,
  { strategy, stop = async () => {} }: Partial<Pick<TestServer, 'strategy' | 'stop'>>,
): Promise<TestServer> {
  const template = databaseName('template');
  const nameOf = (kind: string): string => `${template}_${kind}`;
  try {
    await createDatabase(url, { name: nameOf(migrated), template: 'template0' });
    await migrateOnce(inDatabase(url, nameOf(migrated)));
    await createDatabase(url, { name: nameOf(emptyLog), template: nameOf(migrated) });
    await prepareDatabase(inDatabase(url, nameOf(emptyLog)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    template,
    strategy,
    stop: async () => {
      for (const kind of [...filledNames, emptyLog, migrated]) {
        await dropDatabase(url, nameOf(kind));
      }
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

/**
 * The global setup's server. A file that runs without it starts its own, which ends with this
 * process.
 */
const currentServer = once(async () => {
  const setup = process.env[setupVariable];
  if (setup !== undefined) return serverOfSetup(setup);
  const server = await startTestServer();
  process.once('beforeExit', () => void server.stop());
  return server;
});

const setupAnswer = z.union([address, z.object({ error: z.string() })]);

async function serverOfSetup(socket: string): Promise<TestServer> {
  const answer = setupAnswer.parse(JSON.parse(await text(connect(socket))));
  if ('error' in answer) throw new Error(`the tests have no Postgres: ${answer.error}`);
  return { ...answer, stop: async () => {} };
}

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
