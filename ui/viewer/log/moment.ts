// A moment of an export, as the address names it: a version or position, or a time. Inside of a command it stands for its end.

import { positionOfVersion } from '../../../src/lib/snapshot-version.ts';
import { lastAtMost } from './log-index.ts';
import type { OpenLog } from './open-log.ts';

/** What is refused, with the status that the control plane would answer. */
export class Refused extends Error {
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

/** The last position of the command that a position lies in. */
export function commandEnd({ index }: Pick<OpenLog, 'index'>, position: number): number {
  const next = index.commands[lastAtMost(index.commands, position) + 1];
  return next === undefined ? index.last() : next - 1;
}

/** The position that stands for a moment; 0, and a time before everything, is in front of the first event. */
export function positionOf(log: OpenLog, moment: string, named: string): number {
  const { index } = log;
  if (!/^\d{1,15}$/.test(moment)) return lastBefore(log, Date.parse(moment), named);
  const position = positionOfVersion(Number(moment));
  if (position === index.from - 1) return position;
  if (position >= index.from && position <= index.last()) return commandEnd(log, position);
  throw new Refused(
    404,
    `${named}: the export holds positions ${index.from} to ${index.last()}, was ${position}`,
  );
}

/** Times ascend with positions. */
function lastBefore({ index }: OpenLog, time: number, named: string): number {
  if (Number.isNaN(time))
    throw new Refused(400, `${named} must be a version, a position or a time`);
  let [low, high] = [index.from, index.last() + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (index.recordedAt(middle) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
