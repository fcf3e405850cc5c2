// Which errors mean that the database is unavailable, so that the caller should try again, and what to say about each of
// them. Decided on codes alone.

/** `code` is the SQLSTATE, an error number of the operating system, a code of the pool, or null. */
export type DatabaseFailure = Readonly<{
  code: string | null;
  /** A clause for an answer or a log line: what is wrong, with the SQLSTATE where it tells an operator more. */
  says: string;
  /** What an operator can do; null when waiting is enough. */
  remedy: string | null;
}>;

type Kind = Readonly<{ states: RegExp; says: string; remedy: string | null }>;

const away = 'the database is unreachable or overloaded';

/** The first entry whose pattern matches the SQLSTATE decides. */
const kinds: readonly Kind[] = [
  {
    states: /^53100$/,
    says: 'the database is full (SQLSTATE 53100)',
    remedy: 'free space on the disk of the database server and retry',
  },
  {
    states: /^25006$/,
    says: 'the database is read-only (SQLSTATE 25006)',
    remedy: 'connect gw to the primary server, or end the read-only mode, and retry',
  },
  {
    states: /^53300$/,
    says: 'the database accepts no more connections (SQLSTATE 53300)',
    remedy: 'raise max_connections of the server or lower --database-max-connections',
  },
  {
    states: /^53/,
    says: 'the database is out of resources (SQLSTATE class 53)',
    remedy: 'the log of the database server says which one',
  },
  // Connection failures, ended transactions, shutdown, and lock and statement timeouts. 08P01 is a server, or a pooler before
  // it, that does not take what it is sent: waiting does not help.
  { states: /^(08(?!P01)...|25P0[34]|57P0[1-5]|57014|55P03)$/, says: away, remedy: null },
];

const unavailableErrno = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** All connections are in use and none came free in time. */
const poolTimeouts = new Set(['CONNECTION_POOL:QUEUE_TIMEOUT', 'CONNECTION_POOL:OPEN_TIMEOUT']);
/** What the driver says without a code: a connection lost in use, a wait for one that ended. */
const unavailableMessages =
  /connection terminated|not queryable|connection error|timed? ?out|Query read timeout/i;

/** Null when the error does not mean that the database is unavailable. */
export function databaseFailure(error: unknown): DatabaseFailure | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  const kind = kinds.find(({ states }) => states.test(code));
  if (kind !== undefined) return { code, says: kind.says, remedy: kind.remedy };
  if (unavailableErrno.has(code) || poolTimeouts.has(code)) return unreachable(code);
  if (code === '' && unavailableMessages.test(error.message)) return unreachable(null);
  return databaseFailure(error.cause);
}

export const isDatabaseUnavailable = (error: unknown): boolean => databaseFailure(error) !== null;

/** Every SQLSTATE of Postgres has a digit; EPIPE, EPERM and the like have none. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The class of a SQLSTATE is its first two characters; null for an error that is not the server's. */
export function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  return sqlState.test(code) ? code : sqlStateOf(error.cause);
}

/**
 * A lock or statement that took too long, no room, or a standby during a failover: the server itself ended the transaction,
 * which is rolled back. Without a connection there was none.
 */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return poolTimeouts.has(code) || /^(25006|55P03|57014|53...)$/.test(code);
}

const unreachable = (code: string | null): DatabaseFailure => ({ code, says: away, remedy: null });

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';
