// What the forms of all records have in common: how what was typed is read, and what of it is sent.

/** A field that cannot be read, and why. */
export type Wrong = Readonly<{ wrong: Readonly<{ field: string; message: string }> }>;

/** What is sent, or the first field that cannot be. */
export type Read<Body> = Readonly<{ body: Body }> | Wrong;

export const wrong = (field: string, message: string): Wrong => ({ wrong: { field, message } });

/** What follows when a draft can be read. */
export const whenRead = <Body, Next>(read: Read<Body>, next: (body: Body) => Next): Wrong | Next =>
  'wrong' in read ? read : next(read.body);

/** A field that was emptied clears what it is for. */
export const textOrNull = (text: string): string | null => {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
};

/** A number in its field; none is an empty one. */
export const written = (count: number | null): string => (count === null ? '' : String(count));

/**
 * What of a form is sent: the members of `after` that `before` has otherwise, so that a field that was not touched is left alone. Lists
 * and objects are compared by what is in them.
 */
export function differing<Fields extends object>(after: Fields, before: object): Partial<Fields> {
  const kept: Partial<Fields> = { ...after };
  for (const name of Object.keys(after)) {
    const [now, then] = [Reflect.get(after, name), Reflect.get(before, name)];
    if (JSON.stringify(now) === JSON.stringify(then)) Reflect.deleteProperty(kept, name);
  }
  return kept;
}
