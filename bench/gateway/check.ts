// Compares measured ratios with those that bench/RESULTS.md records, to notice a slower request path.

import { readFileSync } from 'node:fs';

import { resultsFile } from './results.ts';
import type { Ratio } from './report.ts';

/** A ratio may exceed the recorded one by this factor, because runs on a shared machine differ. */
export const toleranceFactor = 1.25;

/** Compares gw ÷ nginx in CPU time. Returns one line for each ratio beyond the tolerance, and for each unknown ratio. */
export function compareRatios(ratios: readonly Ratio[], recorded: string): readonly string[] {
  return ratios
    .filter(({ candidate, against }) => candidate.startsWith('gw') && against === 'nginx')
    .flatMap(({ candidate, workload, cpu }) => {
      const what = `${candidate} ÷ nginx, ${workload}`;
      const before = recordedRatio(recorded, candidate, workload);
      if (before === null) return [`${what}: RESULTS.md has no ratio`];
      const max = before * toleranceFactor;
      return cpu <= max ? [] : [`${what}: ${cpu.toFixed(2)}, at most ${max.toFixed(2)}`];
    });
}

export const checkRatios = (ratios: readonly Ratio[]): readonly string[] =>
  compareRatios(ratios, readFileSync(resultsFile, 'utf8'));

function recordedRatio(recorded: string, candidate: string, workload: string): number | null {
  const rows = recorded.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const column = rows.find((cells) => cells[1] === 'workload')?.indexOf('÷ nginx') ?? -1;
  const row = rows.find((cells) => cells[1] === workload && cells[2] === candidate);
  const ratio = Number.parseFloat(row?.[column] ?? '');
  return Number.isNaN(ratio) ? null : ratio;
}
