// When what is shown is asked for again, and how old it is in words.

import { formatSince } from './format.ts';

type Watched = Readonly<{
  /** Null is never. */
  everyMs: number | null;
  /** The page is behind another one. */
  isHidden: boolean;
  /** Whoever looks at it has stopped it. */
  isPaused: boolean;
}>;

/** Milliseconds after an answer; null is never. */
export const nextAskMs = ({ everyMs, isHidden, isPaused }: Watched): number | null =>
  isHidden || isPaused ? null : everyMs;

/** `updated 3 s ago`; what is on its way and what was stopped are said. */
export function freshnessText(
  { updatedAt, isPaused }: Readonly<{ updatedAt: number | null; isPaused: boolean }>,
  now: number,
): string {
  if (updatedAt === null) return 'not loaded yet';
  const ago = formatSince(new Date(Math.min(updatedAt, now)), now);
  return isPaused ? `paused, updated ${ago}` : `updated ${ago}`;
}
