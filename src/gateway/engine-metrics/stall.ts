// Detects a stalled engine: it reports running requests but makes no progress. Applies only to engines that have shown
// progress before, because some never do.

export type Stall = Readonly<{
  /** From the previous page. Null before the first. */
  progress: string | null;
  /** Without earlier progress, a lack of change means nothing. */
  hasMoved: boolean;
  /** Consecutive pages with running requests and no progress. */
  frozen: number;
}>;

export const noBaseline: Stall = { progress: null, hasMoved: false, frozen: 0 };

/** At two seconds per page this is longer than any step of an engine. */
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

/** Uses the same threshold as probes, but at least five pages. */
export const isStalled = ({ frozen }: Stall, unhealthyAfter: number): boolean =>
  frozen >= Math.max(frozenPagesMin, unhealthyAfter);
