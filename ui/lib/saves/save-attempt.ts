// What an attempt at a save comes to: whether its answer was lost, the key that the next one is sent under, and whether it may be made on
// top of what somebody else did meanwhile.

type Failure = Readonly<{ status: number; code: string }>;

/** Nobody knows whether it was made: no answer came, or one of a server that broke. What the page itself refuses was never sent. */
export const isUncertain = ({ status, code }: Failure): boolean =>
  status >= 500 || (status === 0 && code !== 'invalid');

/** The same key cannot make a change twice, so it stands while nobody knows; a refusal frees it. */
export const keyAfter = (
  failure: Failure,
  { key, fresh }: Readonly<{ key: string; fresh: () => string }>,
): string => (isUncertain(failure) ? key : fresh());

/** A list that is sent as a whole takes away what others put into it since; without a version nobody would see what is written over. */
export const mayGoOnTop = (
  save: Readonly<{ sendsWhole?: boolean }>,
  found: Readonly<{ kind: string; version: number | undefined }>,
): boolean => found.kind === 'changed' && found.version !== undefined && save.sendsWhole !== true;
