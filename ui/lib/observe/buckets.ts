// Decides what a chart draws for buckets that are only partly in the range: their sum would look
// like a drop.

/** Epoch milliseconds; half-open. */
type Edges = Readonly<{ since: number; until: number }>;

export type Buckets = Readonly<{
  /** Ascending. */
  times: readonly number[];
  widthMs: number;
  edges: Edges;
}>;

/** A bucket that covers less of its time has no rate. */
const shareMin = 0.25;

/** Between 0 and 1. */
const sharesOf = ({ times, widthMs, edges }: Buckets): readonly number[] =>
  times.map((at) => {
    const inside = Math.min(at + widthMs, edges.until) - Math.max(at, edges.since);
    return Math.min(1, Math.max(0, inside / widthMs));
  });

/** Rates per second over the covered time; a gap where that is too short. */
export function perSecond(sums: readonly (number | null)[], buckets: Buckets): (number | null)[] {
  const shares = sharesOf(buckets);
  return sums.map((sum, index) => {
    const share = shares[index] ?? 0;
    return sum === null || share < shareMin ? null : (sum * 1_000) / (buckets.widthMs * share);
  });
}

type Series = Readonly<{ label: string; values: readonly (number | null)[] }>;

/** A partial bucket is a gap in all series of a chart, unless none drops at it. */
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

export const bucketsOf = (
  points: readonly Readonly<{ at: string }>[],
  { widthMs, edges }: Pick<Buckets, 'widthMs' | 'edges'>,
): Buckets => ({ times: points.map(({ at }) => Date.parse(at)), widthMs, edges });
