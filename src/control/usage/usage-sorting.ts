// Sorts the records of a usage batch into those that can be stored and those that must be dropped, each with its number
// and the reason, so that verification can explain missing rows.

import type { ConfigState } from '../../../projections/config/state.ts';
import type { Dropped } from '../../db/usage/usage-runs.ts';
import { rowNumber } from '../../usage/row-number.ts';
import type { BatchSender, DropReason, RowNumber } from '../../usage/row-number.ts';
import type { UsageEvent } from '../../usage/usage-event.ts';
import { readRecord } from './usage-record.ts';
import type { Completion } from './usage-record.ts';

/**
 * Accepted range of times. A proxy that was disconnected for longer has lost its queue, and a clock
 * further ahead is wrong. Each month is a partition.
 */
const oldestMs = 400 * 24 * 60 * 60 * 1000;
const aheadMs = 24 * 60 * 60 * 1000;

export type NumberedEvent = Readonly<{ event: UsageEvent; number: RowNumber | null }>;

export type Sorted = Readonly<{
  accepted: readonly NumberedEvent[];
  dropped: readonly Dropped[];
}>;

export function sortRecords(
  records: readonly unknown[],
  replica: string,
  completion: Completion,
): Sorted {
  const accepted: NumberedEvent[] = [];
  const dropped: Dropped[] = [];
  for (const raw of records) {
    const number = numberOf(raw);
    const event = readRecord(raw, completion);
    const reason = event === null ? 'malformed' : dropReasonOf(event, completion);
    if (event !== null && reason === null) accepted.push({ event, number });
    else dropped.push(droppedRow({ replica, number, reason: reason ?? 'malformed' }));
  }
  return { accepted, dropped };
}

/** The rows that the proxy itself dropped. */
export const droppedBefore = ({ replica, run, dropped }: BatchSender): Dropped[] =>
  dropped
    .filter(({ first, last }) => first <= last)
    .map(({ reason, first, last }) => ({
      reason,
      replica,
      run,
      first,
      last,
      rows: last - first + 1,
    }));

/** Null from older proxies. The number of a malformed record is readable in most cases. */
function numberOf(raw: unknown): RowNumber | null {
  const { success, data } = rowNumber.safeParse(raw);
  return success ? data : null;
}

function dropReasonOf(event: UsageEvent, { at, state }: Completion): DropReason | null {
  if (!isInTime(event, at.getTime())) return 'time_out_of_range';
  if (!state.principal.byId.has(event.principal_id)) return 'unknown_principal';
  return isModelKnown(event, state) ? null : 'unknown_model';
}

function isInTime({ at }: UsageEvent, now: number): boolean {
  const moment = Date.parse(at);
  return moment > now - oldestMs && moment < now + aheadMs;
}

const isModelKnown = ({ model_id: id }: UsageEvent, state: ConfigState): boolean =>
  id === null || state.model.byId.has(id);

type DroppedRecord = Readonly<{ replica: string; number: RowNumber | null; reason: DropReason }>;

const droppedRow = ({ replica, number, reason }: DroppedRecord): Dropped => ({
  reason,
  replica,
  run: number?.run ?? '',
  first: number?.seq ?? 0,
  last: number?.seq ?? null,
  rows: 1,
});
