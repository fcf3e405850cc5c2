// Decides by error code which errors mean that the database is unavailable, and what to report for
// each.

/** `code` is the SQLSTATE, an error code of the operating system or of the pool, or null. */
export type DatabaseFailure = Readonly<{
  code: string | null;
  /** A clause for an answer or a log line, with the SQLSTATE if it helps operators. */
  says: string;
  /** Null if waiting is enough. */
  remedy: string | null;
}>;

type Kind = Readonly<{ states: RegExp; says: string; remedy: string | null }>;

const away = 'the database is unreachable or overloaded';

/** The first matching entry decides. */
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
    states: /^0A000 FATAL$/,
    says: 'no server of the database accepts changes (a standby answered)',
    remedy: 'promote a standby, or start the primary server',
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
  // Connection failures, ended transactions, shutdown, and lock and statement timeouts. 08P01 is a
  // protocol violation reported by a server or pooler: waiting does not help.
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
/** All connections are in use and none was released in time. */
const poolTimeouts = new Set(['CONNECTION_POOL:QUEUE_TIMEOUT', 'CONNECTION_POOL:OPEN_TIMEOUT']);
/** Driver errors without a code: a connection was lost, or the pool ended while a caller waited. */
const unavailableMessages =
  /connection terminated|not queryable|connection error|timed? ?out|Query read timeout/i;

/** Null if the error does not mean that the database is unavailable. */
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

/** Every SQLSTATE of Postgres contains a digit; EPIPE, EPERM and the like do not. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The first two characters of a SQLSTATE; null if the error is not from the server. */
export function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  return sqlState.test(code) ? code : sqlStateOf(error.cause);
}

/**
 * True if the server itself ended and rolled back the transaction: a lock or statement timed out,
 * resources ran out, or a standby was promoted. A lost connection is not such a case.
 */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return poolTimeouts.has(code) || /^(25006|55P03|57014|53...)$/.test(code);
}

const unreachable = (code: string | null): DatabaseFailure => ({ code, says: away, remedy: null });

/** The code alone does not tell that a standby refused a session (see address.ts). */
const codeOf = (error: Error): string => {
  if (!('code' in error && typeof error.code === 'string')) return '';
  const isRefused = error.code === '0A000' && 'severity' in error && error.severity === 'FATAL';
  return isRefused ? `${error.code} FATAL` : error.code;
};
