// Describes how a request ended, and how many of its attempts failed.

import { formatNumber } from '../text/format.ts';

type Known = Readonly<{ status: number | null; refusal: string | null; cached: boolean }>;

export function outcomeOf({ status, refusal, cached }: Known) {
  if (refusal !== null) return { tone: 'warn', word: `refused: ${refusal}` } as const;
  if (status === null) return { tone: 'bad', word: 'no response' } as const;
  if (status >= 500) return { tone: 'bad', word: String(status) } as const;
  if (status >= 400) return { tone: 'warn', word: String(status) } as const;
  return { tone: 'good', word: cached ? `${status}, cached` : String(status) } as const;
}

type Tried = Readonly<{ attempts: number; refusal: string | null }>;

/**
 * Attempts with a successor, or all attempts if no backend answered, like `failed_attempts` of a
 * group.
 */
export const failedAttemptsOf = ({ attempts, refusal }: Tried): number =>
  Math.max(0, attempts - (refusal === null ? 1 : 0));

/** `3, 2 failed`. */
export function attemptsText(row: Tried): string {
  const failed = failedAttemptsOf(row);
  const all = formatNumber(row.attempts);
  return failed === 0 ? all : `${all}, ${formatNumber(failed)} failed`;
}
