// Creates pools of connections to Postgres. Bounds every wait: for a connection, a lock, a
// statement, an idle transaction.

import createConnectionPool from '@databases/pg';
import type { ConnectionPool } from '@databases/pg';

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
      // Ends a query also if the server hangs or the network drops packets, when the server's own
      // timeout cannot.
      queryTimeoutMilliseconds: statementTimeout === 0 ? 0 : statementTimeout + 200,
      lockTimeoutMilliseconds: lockTimeoutMs,
      idleInTransactionSessionTimeoutMilliseconds: idleInTransactionTimeoutMs,
      connectionTimeoutMilliseconds: connectTimeoutMs,
      queueTimeoutMilliseconds: connectTimeoutMs + 500,
      ...(schema === undefined ? {} : { schema }),
      // A connection that breaks while idle is replaced. If the database is down, the next query
      // fails.
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

/** The original message would repeat a part of the address, which may contain the password. */
export function readingUrl<Value>(open: () => Value): Value {
  try {
    return open();
  } catch {
    throw new Error('--database-url (GW_DATABASE_URL) is not a valid address');
  }
}
