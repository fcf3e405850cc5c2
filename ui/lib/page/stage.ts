// How far what is loaded has got, for all that shows something of the server.

/** What was there once stays shown while, and after, the next attempt fails. */
type Stage = 'loading' | 'failed' | 'empty' | 'shown';

type Attempt<Value> = Readonly<{
  /** Undefined until the first answer. */
  value: Value | undefined;
  /** Of the last attempt; null when it succeeded, or is the first. */
  failure: unknown;
}>;

/** Nothing is empty but a list without rows. */
export function stageOf<Value>({ value, failure }: Attempt<Value>): Stage {
  if (value !== undefined) return Array.isArray(value) && value.length === 0 ? 'empty' : 'shown';
  return failure === null ? 'loading' : 'failed';
}
