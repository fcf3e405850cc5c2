// What an undo may do without a look at the page of the restore, and how a restore is confirmed.

/** With more entities, what a restore changes is looked at on its page, and its version is typed. */
export const undoneMax = 20;

type Preview = Readonly<{
  event_count: number;
  difference_count: number;
  conflicts: readonly unknown[];
  missing: readonly unknown[];
}>;

/** All of it comes back, nothing stands in its way, and one dialog can show it. */
export const isPlain = ({ event_count, difference_count, conflicts, missing }: Preview): boolean =>
  event_count > 0 &&
  difference_count <= undoneMax &&
  conflicts.length === 0 &&
  missing.length === 0;

/** The reason of an undo that was given none. */
export const undoReason = (position: number): string =>
  `Undo of the change at position ${position}`;
