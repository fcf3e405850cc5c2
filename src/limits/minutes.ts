// Follows the minutes in which limits are handed out, by this process's monotonic clock. An answer
// of the control plane says how long the minute lasts; without answers, minutes follow each other.

import type { Allotments } from './reconciliation.ts';

/** `share` of every limit may be used without an allotment, in ten-thousandths. */
export type Minute = {
  number: number;
  endsAtMs: number;
  share: number;
  /** Null if the control plane has not given it yet. */
  nextShare: number | null;
};

const minuteMs = 60_000;

export class Minutes {
  #current: Minute | null = null;
  readonly #outageShare: number;

  /** For minutes of which the control plane has given no share. */
  constructor(outageShare: number) {
    this.#outageShare = outageShare;
  }

  /** Null before the first answer. */
  at(nowMs: number): Minute | null {
    const current = this.#current;
    if (current === null) return null;
    while (nowMs >= current.endsAtMs) {
      current.number += 1;
      current.endsAtMs += minuteMs;
      current.share = current.nextShare ?? this.#outageShare;
      current.nextShare = null;
    }
    return current;
  }

  /**
   * `sentAtMs` is when the report was sent. The control plane read its clock later, so the minute
   * does not end before the time that is computed here.
   */
  follow(
    answer: Allotments,
    { sentAtMs, nowMs }: Readonly<{ sentAtMs: number; nowMs: number }>,
  ): void {
    const { minute: number, start_share: share, next_start_share: nextShare } = answer;
    const endsAtMs = sentAtMs + answer.ends_in_ms;
    const current = this.at(nowMs);
    if (current !== null && number === current.number - 1) {
      // The minute has ended here since.
      current.share = nextShare ?? current.share;
      return;
    }
    const isSame = current?.number === number;
    this.#current = {
      number,
      endsAtMs: isSame ? Math.max(current.endsAtMs, endsAtMs) : endsAtMs,
      share,
      nextShare,
    };
  }
}
