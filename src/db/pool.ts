// Creates pools of connections to Postgres. Bounds every wait: for a connection, a lock, a
// statement, an idle transaction.

import type { ConnectionPool } from '@databases/pg';
import pool from '@databases/pg/lib/ConnectionPool.js';
import typeOverrides from '@databases/pg/lib/TypeOverrides.js';

import { readAddress } from './connections/address.ts';

export type Database = ConnectionPool;

/**
 * Decides the maximum time of a statement. The statements of a command must end within the 3 s in
 * which a mutation is answered; those of reports and maintenance may take longer.
 */
export type Purpose = 'commands' | 'reports' | 'maintenance';

type Options = {
  url: string;
  purpose: Purpose;
  /** Shown in pg_stat_activity, followed by the purpose. */
  applicationName: string;
  connectionsMax: number;
  /** The read-model schema that unqualified names resolve to. */
  schema?: string;
  /** Updated by the pool. */
  load?: PoolLoad;
  /** Called for each statement that the server rejected. */
  onStatementFailed?: (error: unknown) => void;
};

/** Open connections, and statements in progress. */
export type PoolLoad = { connections: number; queries: number };

const statementTimeoutMs = { commands: 2600, reports: 10_000, maintenance: 0 } as const;
const lockTimeoutMs = 2500;
const idleInTransactionTimeoutMs = 5000;
const connectTimeoutMs = 2000;
const idleTimeoutMs = 30_000;

/**
 * Constructs the pool itself, because the function of @databases/pg for this cannot set the startup
 * options by which standbys are skipped.
 */
export function openDatabase(options: Options): Database {
  const { url, purpose, applicationName, connectionsMax, schema } = options;
  const statementTimeout = statementTimeoutMs[purpose];
  const { hosts, ...address } = readAddress(url);
  const session = {
    ...address,
    hosts: [...hosts],
    application_name: `${applicationName} ${purpose}`,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeout,
    // Ends a query also if the server hangs or the network drops packets, when the server's own
    // timeout cannot.
    query_timeout: statementTimeout === 0 ? 0 : statementTimeout + 200,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: false,
    keepAliveInitialDelayMillis: 0,
    types: new typeOverrides.default({ bigIntMode: 'number' }),
  };
  return new pool.default(session, {
    poolOptions: {
      maxSize: connectionsMax,
      idleTimeoutMilliseconds: idleTimeoutMs,
      queueTimeoutMilliseconds: connectTimeoutMs + 500,
    },
    ...(schema === undefined ? {} : { schema }),
    handlers: {
      // A connection that breaks while idle is replaced. If the database is down, the next query
      // fails.
      onError: () => {},
      ...loadHandlers(options),
    },
    acquireLockTimeoutMilliseconds: lockTimeoutMs,
  });
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
