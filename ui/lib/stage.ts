// How far what is loaded has got, for all that shows something of the server.

/** What was there once stays shown while, and after, the next attempt fails. */
type Stage = 'loading' | 'failed' | 'empty' | 'shown';

type Attempt<Value> = Readonly<{
  /** Undefined until the first answer. */
  value: Value | undefined;
  /** Of the last attempt; null when it succeeded, or is the first. */
  failure: unknown;
}>;

/** Nothing is empty but a list without rows, unless it is said what is. */
export function stageOf<Value>(
  { value, failure }: Attempt<Value>,
  isEmpty: (value: Value) => boolean = hasNoRows,
): Stage {
  if (value !== undefined) return isEmpty(value) ? 'empty' : 'shown';
  return failure === null ? 'loading' : 'failed';
}

const hasNoRows = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
