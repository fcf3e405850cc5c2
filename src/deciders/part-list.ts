// Handles lists of parts (rules, targets, members): their positions, and the request fields that
// refusals name.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

/** Such as `targets.2.`; empty if the request concerns one part. */
export type Place = (index: number) => string;

/**
 * A part without a position (null) follows the part before it. Rejects two parts with the same
 * position.
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

export const within = (place: string, refusal: Refusal): Refusal => ({
  ...refusal,
  message: place + refusal.message,
  param: refusal.param === null ? null : place + refusal.param,
});

export function refuseTooMany(field: string, count: number, max: number): Refusal | null {
  if (count <= max) return null;
  return refuse('invalid', `${field}: ${count} items; the maximum is ${max}`, { param: field });
}
