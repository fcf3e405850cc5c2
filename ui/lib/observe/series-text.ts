// Describes a chart for screen readers, and lists its values as rows.

type Series = Readonly<{ label: string; values: readonly (number | null)[] }>;
type Format = (value: number | null) => string;

/** `requests 0 to 12, last 3; failed no data`. */
export function summaryOf(series: readonly Series[], format: Format): string {
  return series
    .map(({ label, values }) => {
      const known = values.filter((value) => value !== null);
      const last = known.at(-1);
      if (last === undefined) return `${label} no data`;
      const [least, most] = [Math.min(...known), Math.max(...known)].map(format);
      const span = least === most ? least : `${least} to ${most}`;
      return `${label} ${span}, last ${format(last)}`;
    })
    .join('; ');
}

/** The times with any value, newest first. */
export const rowsOf = (
  times: readonly number[],
  series: readonly Series[],
): readonly Readonly<{ at: number; values: readonly (number | null)[] }>[] =>
  times
    .map((at, index) => ({ at, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null))
    .toReversed();
