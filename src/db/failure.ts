// Which errors say that the database is away or too busy, so that the caller should try again: decided on codes alone.

/** SQLSTATE classes and codes: connection failures, a standby, shutdown, lock, statement and transaction timeouts, no room. */
const unavailableStates = [
  /^08/,
  /^25006$/,
  /^25P0[34]$/,
  /^57P0[1-5]$/,
  /^57014$/,
  /^55P03$/,
  /^53/,
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

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (unavailableErrno.has(code) || poolTimeouts.has(code)) return true;
  if (unavailableStates.some((state) => state.test(code))) return true;
  if (code === '' && unavailableMessages.test(error.message)) return true;
  return isDatabaseUnavailable(error.cause);
}

/**
 * A lock or statement that took too long, no room, or a standby during a failover: the server itself ended the transaction,
 * which is rolled back. Without a connection there was none.
 */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return poolTimeouts.has(code) || /^(25006|55P03|57014|53...)$/.test(code);
}
