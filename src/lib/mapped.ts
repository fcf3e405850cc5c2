// Maps an iterable lazily, so that not all results exist at once.

export function* mapped<Value, Made>(
  values: Iterable<Value>,
  make: (value: Value) => Made,
): Generator<Made> {
  for (const value of values) yield make(value);
}
