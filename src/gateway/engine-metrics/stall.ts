// Tells an engine that works from one that is wedged: it says that requests run, and nothing of it moves. Only of an engine that has been
// seen to move: some never do, whatever they work at.

export type Stall = Readonly<{
  /** Of the page before; null before the first. */
  progress: string | null;
  /** It has moved before: the baseline without which standing still says nothing. */
  hasMoved: boolean;
  /** Pages in a row on which requests ran and nothing had moved. */
  frozen: number;
}>;

export const noBaseline: Stall = { progress: null, hasMoved: false, frozen: 0 };

/** At two seconds a page: longer than any step of an engine takes. */
const frozenPagesMin = 5;

export function afterPage(
  stall: Stall,
  { progress, running }: Readonly<{ progress: string | null; running: number }>,
): Stall {
  if (progress === null) return noBaseline;
  if (progress !== stall.progress) {
    return { progress, hasMoved: stall.hasMoved || stall.progress !== null, frozen: 0 };
  }
  return { ...stall, frozen: running > 0 && stall.hasMoved ? stall.frozen + 1 : 0 };
}

/** As patient as probes are, and never less than for five pages. */
export const isStalled = ({ frozen }: Stall, unhealthyAfter: number): boolean =>
  frozen >= Math.max(frozenPagesMin, unhealthyAfter);
