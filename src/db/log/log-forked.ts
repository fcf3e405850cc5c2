// The error for a log that is not the one that this process has read: the database was set back, or another server answers at its
// address, as after a fail-over that lost the end of the log.

/** Where a process has read the log to: a position, and the hash of the chain there, 64 hex digits. */
export type LogPlace = Readonly<{ position: number; hash: string }>;

/** Everything that was derived from the log behind some earlier position is void. */
export class LogForkedError extends Error {
  constructor({ position, hash }: LogPlace) {
    super(`the log in the database does not hold position ${position} with hash ${hash}`);
    this.name = 'LogForkedError';
  }
}
