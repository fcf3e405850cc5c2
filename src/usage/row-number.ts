// Defines the numbers of usage rows. Each proxy process numbers its rows from 1, so that a row that never arrived is as
// visible as one that was changed.

import { z } from 'zod';

/** A ULID. */
export const ulidPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/;

const run = z.string().regex(ulidPattern);
const seq = z.int().positive();

/** `run` identifies the process by the ULID of its start. */
export const rowNumber = z.object({ run, seq });
export type RowNumber = Readonly<z.output<typeof rowNumber>>;

/** The reasons for which a proxy drops a row. */
export const proxyDropReason = z.enum(['queue_full', 'batch_refused']);
export type ProxyDropReason = z.output<typeof proxyDropReason>;

/** The reasons for which the control plane drops a row, in addition. */
export const dropReason = z.enum([
  ...proxyDropReason.options,
  'malformed',
  'time_out_of_range',
  'unknown_principal',
  'unknown_model',
  'other',
]);
export type DropReason = z.output<typeof dropReason>;

/** The maximum number of ranges of dropped rows in a report. */
export const droppedRangesMax = 64;

/** Rows with consecutive numbers that were dropped. Both ends are included. */
const droppedRange = z.object({ reason: dropReason.catch('other'), first: seq, last: seq });
export type DroppedRange = Readonly<z.output<typeof droppedRange>>;

/** The numbers that a process has given out, and those of the rows that it dropped. */
export const numbersReport = z.object({
  run,
  /** The highest number so far. */
  assigned: z.int().nonnegative(),
  dropped: z.array(droppedRange).max(droppedRangesMax).readonly().default([]),
});
export type NumbersReport = Readonly<z.output<typeof numbersReport>>;

/** The report in a batch. A process also delivers rows of others, which it finds in the spool. */
export const batchSender = numbersReport.extend({ replica: z.string().min(1).max(200) });
export type BatchSender = Readonly<z.output<typeof batchSender>>;
