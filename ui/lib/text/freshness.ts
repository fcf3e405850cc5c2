// How old what is shown is, in words.

import { formatSince } from './format.ts';

/** `updated 3 s ago`; what is on its way and what was stopped are said. */
export function freshnessText(
  { updatedAt, isPaused }: Readonly<{ updatedAt: number | null; isPaused: boolean }>,
  now: number,
): string {
  if (updatedAt === null) return 'not loaded yet';
  const ago = formatSince(new Date(Math.min(updatedAt, now)), now);
  return isPaused ? `paused, updated ${ago}` : `updated ${ago}`;
}
