// Defines the error for a log that is not the one this process has read. The database was rolled
// back, or another server answers at its address, for example after a failover that lost the end of
// the log.

/** The hash of the chain at a position, 64 hex digits. */
export type LogPlace = Readonly<{ position: number; hash: string }>;

/** Everything derived from the log after some earlier position is invalid. */
export class LogForkedError extends Error {
  constructor({ position, hash }: LogPlace) {
    super(`the log in the database does not contain position ${position} with hash ${hash}`);
    this.name = 'LogForkedError';
  }
}
