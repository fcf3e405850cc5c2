// Splits long work into bounded steps. The caller decides what happens between two steps.

export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Runs all steps without a pause. */
export function inOneGo<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
