// Reads the two ends of a typed range.

import type { Zone } from '../text/format.ts';
import type { Ends } from './range.ts';
import { readWallTime } from '../text/wall-time.ts';

export type End = keyof Ends;

type Rules = Readonly<{ zone: Zone; isOpen: boolean }>;

/** Null while a required end is empty. */
export function readTypedEnds(
  typed: Readonly<Record<End, string>>,
  { zone, isOpen }: Rules,
): Ends | Readonly<{ wrong: string }> | null {
  const [since, until] = [typed.since, typed.until].map((text) =>
    text.trim() === '' ? { at: null } : readWallTime(text, zone),
  );
  if (since === undefined || until === undefined) return null;
  if ('wrong' in since) return { wrong: `From ${since.wrong}` };
  if ('wrong' in until) return { wrong: `Until ${until.wrong}` };
  if (!isOpen && (since.at === null || until.at === null)) return null;
  if (since.at !== null && until.at !== null && since.at >= until.at) {
    return { wrong: 'From must be before Until' };
  }
  return { since: since.at, until: until.at };
}
