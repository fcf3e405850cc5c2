// Generates JSON in which some values are replaced by values of other types.

import * as fc from 'fast-check';

const value = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1.5, 1e300, '', 'x', 'https://a.example', [], {}, true),
  fc.jsonValue({ maxDepth: 2 }),
);

export const damage = fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 3 });

/** Each number selects one value of the JSON to replace. */
export function damaged(whole: unknown, places: readonly (readonly [number, unknown])[]): unknown {
  let now = whole;
  for (const [place, value] of places) {
    const written = JSON.stringify(now);
    let count = 0;
    const change = (chosen: number): unknown =>
      JSON.parse(written, (key, one: unknown) => (key !== '' && count++ === chosen ? value : one));
    change(-1);
    const chosen = count === 0 ? 0 : place % count;
    count = 0;
    now = change(chosen);
  }
  return now;
}
