// Connections to Postgres. Every pool bounds its waits: for a connection, a lock, a statement, an idle transaction.

import createConnectionPool from '@databases/pg';
import type { ConnectionPool } from '@databases/pg';

export type Database = ConnectionPool;

/**
 * What a pool is for, and how long a statement of it may take: a command's statements and those before it end within the 3 s in
 * which a mutation must be answered; a report's and a maintenance job's may take longer.
 */
export type Purpose = 'commands' | 'reports' | 'maintenance';

type Options = {
  url: string;
  purpose: Purpose;
  /** Shows in pg_stat_activity, with the purpose behind it. */
  applicationName: string;
  connectionsMax: number;
  /** The read-model schema that unqualified names resolve to. */
  schema?: string;
  /** Kept up to date. */
  load?: PoolLoad;
  /** Called for each statement that the server refused. */
  onStatementFailed?: (error: unknown) => void;
};

/** Open connections, and statements that are not answered yet. */
export type PoolLoad = { connections: number; queries: number };

const statementTimeoutMs = { commands: 2600, reports: 10_000, maintenance: 0 } as const;
const lockTimeoutMs = 2500;
const idleInTransactionTimeoutMs = 5000;
const connectTimeoutMs = 2000;

export function openDatabase(options: Options) {
  const { url, purpose, applicationName, connectionsMax, schema } = options;
  const statementTimeout = statementTimeoutMs[purpose];
  return readingUrl(() =>
    createConnectionPool.default({
      connectionString: url,
      applicationName: `${applicationName} ${purpose}`,
      bigIntMode: 'number',
      poolSize: connectionsMax,
      statementTimeoutMilliseconds: statementTimeout,
      // The server's own timeout cannot end a query when the server hangs or the network swallows it; this one can.
      queryTimeoutMilliseconds: statementTimeout === 0 ? 0 : statementTimeout + 200,
      lockTimeoutMilliseconds: lockTimeoutMs,
      idleInTransactionSessionTimeoutMilliseconds: idleInTransactionTimeoutMs,
      connectionTimeoutMilliseconds: connectTimeoutMs,
      queueTimeoutMilliseconds: connectTimeoutMs + 500,
      ...(schema === undefined ? {} : { schema }),
      // A connection that breaks while idle is replaced; the next query says so if the database is really away.
      onError: () => {},
      ...loadHandlers(options),
    }),
  );
}

function loadHandlers({ load = { connections: 0, queries: 0 }, onStatementFailed }: Options) {
  return {
    onConnectionOpened: () => void load.connections++,
    onConnectionClosed: () => void load.connections--,
    onQueryStart: () => void load.queries++,
    onQueryResults: () => void load.queries--,
    onQueryError: (_query: unknown, _formatted: unknown, error: unknown) => {
      load.queries--;
      onStatementFailed?.(error);
    },
  };
}

/** Its own words would repeat a part of the address, which may be the password's. */
export function readingUrl<Value>(open: () => Value): Value {
  try {
    return open();
  } catch {
    throw new Error('--database-url (GW_DATABASE_URL) cannot be read as an address');
  }
}
