// Numbers the usage rows of this process, and keeps the numbers of dropped rows until the control plane knows them.

import { asciiJson } from '../../usage/usage-row.ts';
import { droppedRangesMax } from '../../usage/row-number.ts';
import type { DroppedRange, NumbersReport, ProxyDropReason } from '../../usage/row-number.ts';

export class RowNumbers {
  readonly #replica: string;
  readonly #run: string;
  readonly #members: string;
  #assigned = 0;
  /** Numbers beyond the limit are not kept. Verification shows them as missing without a reason. */
  #dropped: DroppedRange[] = [];

  constructor({ replica, run }: Readonly<{ replica: string; run: string }>) {
    this.#replica = replica;
    this.#run = run;
    this.#members = `,"run":"${run}","seq":`;
  }

  /** The number for the next row, as members to add to its JSON. */
  next(): string {
    this.#assigned++;
    return this.#members + this.#assigned;
  }

  /** The number that `next` returned last. */
  get last(): number {
    return this.#assigned;
  }

  dropped(seq: number, reason: ProxyDropReason): void {
    const before = this.#dropped.at(-1);
    if (before?.reason === reason && before.last === seq - 1) {
      this.#dropped[this.#dropped.length - 1] = { ...before, last: seq };
    } else if (this.#dropped.length < droppedRangesMax) {
      this.#dropped.push({ reason, first: seq, last: seq });
    }
  }

  /** Records the dropped rows that have a number of this process. Rows of other processes may be on disk. */
  droppedRows(rows: readonly (Buffer | string)[], reason: ProxyDropReason): void {
    for (const row of rows) {
      const seq = this.#numberOf(row);
      if (seq !== null) this.dropped(seq, reason);
    }
  }

  report(): NumbersReport {
    return { run: this.#run, assigned: this.#assigned, dropped: [...this.#dropped] };
  }

  /** Forgets what the control plane has received. A range that has grown since is sent again as a whole. */
  reported({ dropped }: Pick<NumbersReport, 'dropped'>): void {
    const isKnown = (one: DroppedRange): boolean =>
      dropped.some(({ first, last }) => first === one.first && last === one.last);
    if (dropped.length > 0) this.#dropped = this.#dropped.filter((one) => !isKnown(one));
  }

  /** The member `sender` of a batch with this report. */
  senderOf({ run, assigned, dropped }: NumbersReport): string {
    const ranges = dropped.length === 0 ? '' : `,"dropped":${JSON.stringify(dropped)}`;
    return `"sender":{"replica":${asciiJson(this.#replica)},"run":"${run}","assigned":${assigned}${ranges}}`;
  }

  #numberOf(row: Buffer | string): number | null {
    const text = typeof row === 'string' ? row : row.toString('latin1');
    const at = text.lastIndexOf(this.#members);
    return at < 0 ? null : Number.parseInt(text.slice(at + this.#members.length), 10);
  }
}
