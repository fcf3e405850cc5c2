// Long work in steps: whoever does it decides what happens between two of them. Each step is of a bounded size.

export type Steps<Value> = Generator<undefined, Value, undefined>;

/** One step behind the other, with nothing between them. */
export function inOneGo<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
