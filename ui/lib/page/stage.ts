// Decides the loading state of data: loading, failed, empty or ready.

/** Data stays visible during and after further attempts. */
type Stage = 'loading' | 'failed' | 'empty' | 'shown';

type Attempt<Value> = Readonly<{
  /** Undefined until the first response. */
  value: Value | undefined;
  /** Null if the last attempt succeeded or is the first. */
  failure: unknown;
}>;

/** Only a list without rows is empty. */
export function stageOf<Value>({ value, failure }: Attempt<Value>): Stage {
  if (value !== undefined) return Array.isArray(value) && value.length === 0 ? 'empty' : 'shown';
  return failure === null ? 'loading' : 'failed';
}
