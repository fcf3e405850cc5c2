// Checks whether the database address provides dedicated sessions: gw's pools set the schema and
// timeouts of a session once, and one connection listens. A pooler that shares sessions would lose
// these settings or apply them to others.

import { randomUUID } from 'node:crypto';

import type { Client } from 'pg';

import { connectClient } from './address.ts';

const connectTimeoutMs = 2000;
/** Returned by a pooler that rejects a startup parameter or a transaction. */
const protocolViolation = '08P01';
const setting = 'gw.session';

/**
 * Throws, with a remedy, if the address leads to a pooler that shares sessions or rejects their
 * settings.
 */
export async function checkSessions(url: string): Promise<void> {
  const clients: Client[] = [];
  try {
    const first = await begin(url);
    clients.push(first);
    const second = await begin(url);
    clients.push(second);
    const mark = randomUUID();
    await first.query('select set_config($1, $2, false)', [setting, mark]);
    // The transaction occupies a server session, most likely the one that the first connection just
    // released.
    await second.query('begin');
    const seenBySecond = await read(second);
    const seenByFirst = await read(first);
    await second.query('rollback');
    if (seenByFirst === mark && seenBySecond !== mark) return;
  } catch (error) {
    // A pooler that shares sessions by statement refuses transactions.
    if (clients.length < 2 || !isProtocolViolation(error)) throw error;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
  throw new Error(
    'the database address leads to a pooler that shares sessions; ' +
      'set pool_mode = session for gw in PgBouncer, or connect to Postgres itself',
  );
}

/** Uses the same startup parameters as the pools. */
async function begin(url: string): Promise<Client> {
  try {
    return await connectClient(url, {
      application_name: 'gw start',
      connectionTimeoutMillis: connectTimeoutMs,
      lock_timeout: connectTimeoutMs,
      statement_timeout: connectTimeoutMs,
      idle_in_transaction_session_timeout: connectTimeoutMs,
    });
  } catch (cause) {
    if (!isProtocolViolation(cause)) throw cause;
    throw new Error(
      'the pooler refuses the settings of a session; PgBouncer needs ' +
        'ignore_startup_parameters = lock_timeout,statement_timeout,idle_in_transaction_session_timeout',
      { cause },
    );
  }
}

const isProtocolViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === protocolViolation;

async function read(client: Client): Promise<unknown> {
  const { rows } = await client.query<{ value: string | null }>(
    'select current_setting($1, true) as value',
    [setting],
  );
  return rows[0]?.value;
}
