// Lists of parts (rules, targets, members): where each part stands, and where in the request a refusal of one points.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

/** Where in the request the part with that index is: `targets.2.`, or nothing when the request is about one part. */
export type Place = (index: number) => string;

/**
 * The positions of parts that ask for one or for none (null): those without one stand right behind the part before them.
 * Refused when two stand at one.
 */
export function positionsOf(
  asked: readonly (number | null)[],
  place: Place,
): readonly number[] | Refusal {
  const positions: number[] = [];
  for (const [index, position] of asked.entries()) {
    const next = position ?? (positions.at(-1) ?? -1) + 1;
    if (positions.includes(next)) return within(place(index), positionTaken(next));
    positions.push(next);
  }
  return positions;
}

export const positionTaken = (position: number): Refusal =>
  refuse('conflict', `position ${position} is taken`, { param: 'position' });

/** The refusal of a part as one of the whole: its message begins with the name of the field. */
export const within = (place: string, refusal: Refusal): Refusal => ({
  ...refusal,
  message: place + refusal.message,
  param: refusal.param === null ? null : place + refusal.param,
});

export function refuseTooMany(field: string, count: number, max: number): Refusal | null {
  if (count <= max) return null;
  return refuse('invalid', `${field}: ${count} are given, at most ${max} may be`, { param: field });
}
