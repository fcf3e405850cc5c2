// Prepares the bars of a histogram: few enough to be read and clicked, with shares that can be compared.

export type Bar = Readonly<{
  from: number;
  /** Null is unbounded. */
  below: number | null;
  requests: number;
  failed: number;
}>;

/** `other` is the second group, 0 without a comparison. */
export type DrawnBar = Readonly<{
  from: number;
  below: number | null;
  requests: number;
  failed: number;
  other: number;
}>;

/** Wide enough for a finger on a phone. */
const barsMax = 10;

/** The bars of both groups, from the first to the last that has requests. The lowest become one if there are many. */
export function drawnBars(bars: readonly Bar[], others: readonly Bar[] = []): readonly DrawnBar[] {
  const froms = new Map<number, number | null>();
  for (const { from, below } of [...bars, ...others]) froms.set(from, below);
  const all = [...froms]
    .toSorted(([one], [other]) => one - other)
    .map(([from, below]) => {
      const { requests = 0, failed = 0 } = bars.find((bar) => bar.from === from) ?? {};
      const other = others.find((bar) => bar.from === from)?.requests ?? 0;
      return { from, below, requests, failed, other };
    });
  const isFilled = ({ requests, other }: DrawnBar): boolean => requests > 0 || other > 0;
  const first = all.findIndex(isFilled);
  const filled = first === -1 ? [] : all.slice(first, all.findLastIndex(isFilled) + 1);
  return filled.length <= barsMax ? filled : merged(filled);
}

function merged(bars: readonly DrawnBar[]): readonly DrawnBar[] {
  const low = bars.slice(0, 1 - barsMax);
  const sum = (of: (bar: DrawnBar) => number): number =>
    low.reduce((total, bar) => total + of(bar), 0);
  const lowest = {
    from: 0,
    below: low.at(-1)?.below ?? null,
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    other: sum(({ other }) => other),
  };
  return [lowest, ...bars.slice(1 - barsMax)];
}

/** Shares of the highest bar, from 0 to 1. With a second group each bar is a share of its own group. */
export function heightsOf(bars: readonly DrawnBar[]) {
  const sumOf = (of: (bar: DrawnBar) => number): number =>
    Math.max(
      1,
      bars.reduce((total, bar) => total + of(bar), 0),
    );
  const [all, others] = [sumOf(({ requests }) => requests), sumOf(({ other }) => other)];
  const shares = bars.map(({ requests, failed, other }) => ({
    requests: requests / all,
    failed: failed / all,
    other: other / others,
  }));
  const highest = Math.max(...shares.map(({ requests, other }) => Math.max(requests, other)), 1e-9);
  return shares.map(({ requests, failed, other }) => ({
    requests: requests / highest,
    failed: failed / highest,
    other: other / highest,
  }));
}
