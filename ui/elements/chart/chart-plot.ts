// Draws series with uPlot: ISO times, gaps for unknown values, lines that also differ by dashes.

import type uPlot from 'uplot';

import { formatTime } from '../../lib/text/format.ts';
import type { Zone } from '../../lib/text/format.ts';
import { loneIndexes } from '../../lib/observe/series.ts';

export type Series = Readonly<{ label: string; values: readonly (number | null)[] }>;

export const dashes: readonly (readonly number[])[] = [
  [],
  [6, 3],
  [2, 3],
  [8, 3, 2, 3],
  [12, 4],
  [1, 2],
];

type Drawing = Readonly<{
  width: number;
  height: number;
  /** Charts of a group share the cursor; empty for none. */
  group: string;
  zone: Zone;
  labels: readonly string[];
  hidden: ReadonlySet<string>;
  /** The values are logarithms to base 10. */
  isLog: boolean;
  format: (value: number | null) => string;
  /** For its colors and font. */
  styles: CSSStyleDeclaration;
  onCursor: (index: number | null) => void;
  /** After each drawing. */
  onDraw: (plot: uPlot) => void;
  /** Epoch milliseconds of the dragged range. */
  onSelect: (since: number, until: number) => void;
}>;

export function plotOptions(drawing: Drawing): uPlot.Options {
  const { width, height, group, zone, labels, hidden, isLog, format, styles } = drawing;
  const colour = (name: string): string => styles.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--text-2'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${styles.fontFamily}`,
  };
  return {
    width,
    height,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: {
      points: { size: 6 },
      drag: { x: true, y: false, setScale: false },
      ...(group === '' ? {} : { sync: { key: group } }),
    },
    scales: { y: isLog ? logScale : linearScale },
    axes: [
      {
        ...axis,
        size: 26,
        values: (_plot, splits) => splits.map((at) => axisTime(at, splits, zone)),
      },
      {
        ...axis,
        size: 56,
        ...(isLog ? { incrs: [1] } : {}),
        values: (plot, splits) => {
          const isEmpty = plot.scales['y']?.max === emptyMax;
          const shown = isEmpty ? splits.map((at) => (at === 0 ? 0 : null)) : splits;
          return shown.map((at) => (at === null ? '' : format(isLog ? 10 ** at : at)));
        },
      },
    ],
    series: [
      {},
      ...labels.map((label, index) => ({
        label,
        show: !hidden.has(label),
        stroke: colour(`--series-${index + 1}`),
        width: 1.5,
        dash: [...(dashes[index] ?? [])],
        spanGaps: false,
        // A value between two gaps is drawn as a point.
        points: {
          show: ({ data }: uPlot) => data[0].length < 3,
          filter: ({ data }: uPlot, at: number) => [...loneIndexes(Array.from(data[at] ?? []))],
        },
      })),
    ],
    hooks: {
      draw: [drawing.onDraw],
      setCursor: [(plot) => drawing.onCursor(plot.cursor.idx ?? null)],
      setSelect: [(plot) => selected(plot, drawing.onSelect)],
    },
  };
}

/** The end of the axis without values above zero, where only zero has a label. */
const emptyMax = 1;

const linearScale: uPlot.Scale = {
  range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : emptyMax],
};

/** The axis ends at powers of ten around the values. */
const logScale: uPlot.Scale = {
  range: (_plot, low, high) => {
    const least = Math.floor(low);
    return [least, Math.max(least + 1, Math.ceil(high))];
  },
};

function selected(plot: uPlot, tell: Drawing['onSelect']): void {
  const { left, width } = plot.select;
  if (width < 4) return;
  const at = (px: number): number => Math.round(plot.posToVal(px, 'x') * 1_000);
  tell(at(left), at(left + width));
}

/** Shows the day for ranges over a day, and seconds for a few minutes. */
function axisTime(at: number, splits: readonly number[], zone: Zone): string {
  const text = formatTime(new Date(at * 1_000), zone);
  const seconds = (splits.at(-1) ?? at) - (splits[0] ?? at);
  if (seconds > 86_400) return text.slice(5, 10);
  return text.slice(11, seconds < 300 ? 19 : 16);
}
