// What of a form is sent: what differs from the record, so that a field that was not touched is left alone.

/** The members of `after` that `before` has otherwise; lists and objects are compared by what is in them. */
export function differing<Fields extends object>(after: Fields, before: object): Partial<Fields> {
  const kept: Partial<Fields> = { ...after };
  for (const name of Object.keys(after)) {
    const [now, then] = [Reflect.get(after, name), Reflect.get(before, name)];
    if (JSON.stringify(now) === JSON.stringify(then)) Reflect.deleteProperty(kept, name);
  }
  return kept;
}
