// Decides what a failed save means: whether it may have been saved, the idempotency key of the next attempt, and whether it can be saved on
// top of other changes.

type Failure = Readonly<{ status: number; code: string }>;

/** Without a response, or with a server error. Problems found by the page were never sent. */
export const isUncertain = ({ status, code }: Failure): boolean =>
  status >= 500 || (status === 0 && code !== 'invalid');

/** Keeps the key while the outcome is unknown, so that the change is saved only once. A refusal frees it. */
export const keyAfter = (
  failure: Failure,
  { key, fresh }: Readonly<{ key: string; fresh: () => string }>,
): string => (isUncertain(failure) ? key : fresh());

/** A list that is sent as a whole would remove additions of others. Without a version nothing would detect them. */
export const mayGoOnTop = (
  save: Readonly<{ sendsWhole?: boolean }>,
  found: Readonly<{ kind: string; version: number | undefined }>,
): boolean => found.kind === 'changed' && found.version !== undefined && save.sendsWhole !== true;
