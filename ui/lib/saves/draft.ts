// Shares how forms read typed text and build request bodies.

export type Wrong = Readonly<{ wrong: Readonly<{ field: string; message: string }> }>;

/** Either the body or the first invalid field. */
export type Read<Body> = Readonly<{ body: Body }> | Wrong;

export const wrong = (field: string, message: string): Wrong => ({ wrong: { field, message } });

export const whenRead = <Body, Next>(read: Read<Body>, next: (body: Body) => Next): Wrong | Next =>
  'wrong' in read ? read : next(read.body);

/** Null clears the field. */
export const textOrNull = (text: string): string | null => {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
};

/** Empty for null. */
export const written = (count: number | null): string => (count === null ? '' : String(count));

/** Only members of `after` that differ from `before`. Lists and objects are compared by value. */
export function differing<Fields extends object>(after: Fields, before: object): Partial<Fields> {
  const kept: Partial<Fields> = { ...after };
  for (const name of Object.keys(after)) {
    const [now, then] = [Reflect.get(after, name), Reflect.get(before, name)];
    if (JSON.stringify(now) === JSON.stringify(then)) Reflect.deleteProperty(kept, name);
  }
  return kept;
}
