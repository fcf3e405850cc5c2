// Parses a version, position or time of an export. A position within a command resolves to the end of the command.

import { positionOfVersion } from '../../../../src/lib/snapshot-version.ts';
import type { OpenLog } from './open-log.ts';

/** A refusal with the status of the control plane. */
export class Refused extends Error {
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

/** 0 before the first event. */
export function positionOf({ index }: OpenLog, moment: string, named: string): number {
  if (!/^\d{1,15}$/.test(moment)) {
    const time = Date.parse(moment);
    if (Number.isNaN(time))
      throw new Refused(400, `${named} must be a version, a position or a time`);
    return index.entries.findLast(({ at }) => at <= time)?.position ?? index.from - 1;
  }
  const position = positionOfVersion(Number(moment));
  if (position === index.from - 1) return position;
  const entry = index.at(position);
  if (entry !== undefined) return Math.min(entry.last, index.last());
  const held = `the export holds positions ${index.from} to ${index.last()}`;
  throw new Refused(404, `${named}: ${held}, was ${position}`);
}
