// Runs statements on the whole Postgres server: creates and drops databases, and holds a lock for a
// process.

import { Socket } from 'node:net';

import { Client, escapeIdentifier } from 'pg';

export type NewDatabase = Readonly<{
  name: string;
  template?: string;
  /**
   * The method by which Postgres copies the template. Its default logs every page (CREATE DATABASE,
   * "strategy").
   */
  strategy?: 'file_copy' | undefined;
}>;

/** A unique violation if two sessions create it at the same time. */
const duplicateDatabase: ReadonlySet<unknown> = new Set(['42P04', '23505']);

/**
 * Returns false if a database of that name exists. `serverUrl` names any database of the server
 * except the template.
 */
export async function createDatabase(
  serverUrl: string,
  { name, template, strategy }: NewDatabase,
): Promise<boolean> {
  const from = template === undefined ? '' : ` template ${escapeIdentifier(template)}`;
  const how = strategy === undefined ? '' : ` strategy ${strategy}`;
  try {
    await runOnce(serverUrl, `create database ${escapeIdentifier(name)}${from}${how}`);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && duplicateDatabase.has(error.code)) {
      return false;
    }
    throw error;
  }
}

/** Ends the sessions of the database first, because a test's pool may still be closing. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await runOnce(serverUrl, `drop database if exists ${escapeIdentifier(name)} with (force)`);
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  // The server may end the session at any time. The statement's own error reports that.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export type ProcessLock = Readonly<{ release: () => Promise<void> }>;

/**
 * The lock belongs to a session, so it ends with the process, even after a crash. Null if another
 * process holds it.
 */
export async function takeProcessLock(url: string, key: number): Promise<ProcessLock | null> {
  const socket = new Socket();
  const client = new Client({ connectionString: url, stream: () => socket });
  client.on('error', () => undefined);
  await client.connect();
  const answer = await client.query<{ held: boolean }>(
    'select pg_try_advisory_lock($1::bigint) as held',
    [key],
  );
  if (answer.rows[0]?.held !== true) {
    await client.end();
    return null;
  }
  // An idle lock must not keep the process alive.
  socket.unref();
  return {
    release: async () => {
      socket.ref();
      await client.end().catch(() => undefined);
    },
  };
}
