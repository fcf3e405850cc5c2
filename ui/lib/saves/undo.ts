// Decides which changes can be undone directly, without the restore page.

/** A larger restore is previewed on its page and confirmed by its version. */
export const undoneMax = 20;

type Preview = Readonly<{
  event_count: number;
  difference_count: number;
  conflicts: readonly unknown[];
  missing: readonly unknown[];
}>;

/** The undo restores everything, nothing prevents it, and one dialog can show it. */
export const isPlain = ({ event_count, difference_count, conflicts, missing }: Preview): boolean =>
  event_count > 0 &&
  difference_count <= undoneMax &&
  conflicts.length === 0 &&
  missing.length === 0;

export const undoReason = (position: number): string =>
  `Undo of the change at position ${position}`;
