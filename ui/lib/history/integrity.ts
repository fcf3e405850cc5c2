// Describes the state of witnesses, projections, checkpoints and verifications of the log.

import { formatCount, formatNumber } from '../text/format.ts';

type Alarm = Readonly<{ replica: string | null; explained_by_epoch: number | null }>;

type Witness = Readonly<{ replica: string; log_seen?: readonly unknown[] | undefined }>;

export function witnessState(
  { replica, log_seen: seen = [] }: Witness,
  alarms: readonly Alarm[],
): Readonly<{ tone: 'bad' | 'plain' | 'good'; word: string }> {
  const isContradicting = alarms.some(
    (one) => one.replica === replica && one.explained_by_epoch === null,
  );
  if (isContradicting) return { tone: 'bad', word: 'contradicts' };
  return seen.length === 0
    ? { tone: 'plain', word: 'no hashes yet' }
    : { tone: 'good', word: 'agrees' };
}

/** `lag` is the number of events that the projections have not processed; null is unknown. */
export function behindState(
  lag: number | null,
): Readonly<{ tone: 'none' | 'warn' | 'plain'; word: string }> {
  if (lag === null) return { tone: 'none', word: 'no data' };
  return lag === 0
    ? { tone: 'plain', word: 'current' }
    : { tone: 'warn', word: `${formatNumber(lag)} behind` };
}

type Signed = Readonly<{
  /** Null if the newest positions have no checkpoint. */
  last: number | null;
  /** The number of newest positions that were searched. */
  among: number;
  hasKey: boolean;
}>;

/** The part of a log up to `head` that no signed checkpoint covers. */
export function unsignedText(head: number, { last, among, hasKey }: Signed): string {
  if (last !== null)
    return head === last ? 'The whole log is signed' : formatCount(head - last, 'unsigned event');
  return hasKey
    ? `No checkpoint in the last ${formatCount(among, 'event')}`
    : 'No audit key is set';
}

/** Null means not checked. */
export function driftText(drift: number | null): string | null {
  if (drift === null) return null;
  return drift === 0
    ? 'Match recorded usage'
    : `${formatCount(drift, 'budget')} ${drift === 1 ? 'differs' : 'differ'} from recorded usage`;
}

type Verified = Readonly<{ position: number; problem_count: number }>;

/** Null without a verification. */
export function verifiedState(
  last: Verified | null,
  head: number,
): Readonly<{ tone: 'bad' | 'plain' | 'good'; word: string; upTo: string }> {
  if (last === null) return { tone: 'plain', word: 'not verified yet', upTo: '' };
  const { position, problem_count: count } = last;
  const upTo =
    position >= head ? 'the whole log' : `up to ${formatNumber(position)} of ${formatNumber(head)}`;
  return count === 0
    ? { tone: 'good', word: 'verified', upTo }
    : { tone: 'bad', word: formatCount(count, 'problem'), upTo };
}
