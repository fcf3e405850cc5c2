// What a chart draws of the buckets at the ends of a range, which are only partly in it: a sum over
// part of a bucket would look like a fall.

/** Epoch milliseconds; half open. */
type Edges = Readonly<{ since: number; until: number }>;

export type Buckets = Readonly<{
  /** Where each begins, ascending. */
  times: readonly number[];
  widthMs: number;
  edges: Edges;
}>;

/** Less of a bucket than this says too little of the whole. */
const shareMin = 0.25;

/** How much of each bucket lies in the range, between 0 and 1. */
const sharesOf = ({ times, widthMs, edges }: Buckets): readonly number[] =>
  times.map((at) => {
    const inside = Math.min(at + widthMs, edges.until) - Math.max(at, edges.since);
    return Math.min(1, Math.max(0, inside / widthMs));
  });

/** Values per second, from sums of each bucket: by the time that is counted of it, and a gap where that is too little. */
export function perSecond(sums: readonly (number | null)[], buckets: Buckets): (number | null)[] {
  const shares = sharesOf(buckets);
  return sums.map((sum, index) => {
    const share = shares[index] ?? 0;
    return sum === null || share < shareMin ? null : (sum * 1_000) / (buckets.widthMs * share);
  });
}

type Series = Readonly<{ label: string; values: readonly (number | null)[] }>;

/**
 * Sums of each bucket, of the series of one chart. A bucket that is not wholly in the range is a gap of all of them, unless none of them
 * falls from its neighbour all the same.
 */
export function wholeSums(series: readonly Series[], buckets: Buckets): readonly Series[] {
  const shares = sharesOf(buckets);
  const isGap = shares.map((share, index) => {
    const neighbour = index === 0 ? 1 : index - 1;
    return share < 1 && series.some(({ values }) => isFall(values[index], values[neighbour]));
  });
  return series.map(({ label, values }) => ({
    label,
    values: values.map((value, index) => (isGap[index] === true ? null : value)),
  }));
}

const isFall = (value: number | null | undefined, neighbour: number | null | undefined): boolean =>
  typeof value === 'number' && typeof neighbour === 'number' && value < neighbour;

/** Of points that begin at `at`. */
export const bucketsOf = (
  points: readonly Readonly<{ at: string }>[],
  { widthMs, edges }: Pick<Buckets, 'widthMs' | 'edges'>,
): Buckets => ({ times: points.map(({ at }) => Date.parse(at)), widthMs, edges });
