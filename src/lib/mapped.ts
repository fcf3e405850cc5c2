// What is made of each of many values, one at a time, so that all of them are never there at once.

export function* mapped<Value, Made>(
  values: Iterable<Value>,
  make: (value: Value) => Made,
): Generator<Made> {
  for (const value of values) yield make(value);
}
