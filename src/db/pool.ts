// Connections to Postgres. Every pool bounds its waits: for a connection, a lock, a statement, an idle transaction.

import createConnectionPool from '@databases/pg';
import type { ConnectionPool } from '@databases/pg';

export type Database = ConnectionPool;

type Options = {
  url: string;
  /** Shows in pg_stat_activity. */
  applicationName: string;
  connectionsMax: number;
  /** The read-model schema that unqualified names resolve to. */
  schema?: string;
  /** 0 is no bound, for a rebuild that the operator watches. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
};

const statementTimeoutMs = 5000;
const lockTimeoutMs = 3000;
const idleInTransactionTimeoutMs = 5000;
const connectTimeoutMs = 2000;

export function openDatabase(options: Options): Database {
  return createConnectionPool.default({
    connectionString: options.url,
    applicationName: options.applicationName,
    bigIntMode: 'number',
    poolSize: options.connectionsMax,
    statementTimeoutMilliseconds: options.statementTimeoutMs ?? statementTimeoutMs,
    lockTimeoutMilliseconds: lockTimeoutMs,
    idleInTransactionSessionTimeoutMilliseconds: idleInTransactionTimeoutMs,
    connectionTimeoutMilliseconds: connectTimeoutMs,
    queueTimeoutMilliseconds: connectTimeoutMs + 500,
    ...(options.schema === undefined ? {} : { schema: options.schema }),
    // A connection that breaks while idle is replaced; the next query says so if the database is really away.
    onError: options.onError ?? (() => {}),
  });
}
