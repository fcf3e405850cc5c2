// Describes the age of data.

import { formatSince } from './format.ts';

/** `updated 3 s ago`, also while loading or paused. */
export function freshnessText(
  { updatedAt, isPaused }: Readonly<{ updatedAt: number | null; isPaused: boolean }>,
  now: number,
): string {
  if (updatedAt === null) return 'not loaded yet';
  const ago = formatSince(new Date(Math.min(updatedAt, now)), now);
  return isPaused ? `paused, updated ${ago}` : `updated ${ago}`;
}
