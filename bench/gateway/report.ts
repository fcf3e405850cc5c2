// Computes medians, ratios and whether targets are met. A ratio is computed within each round, then the median over
// rounds, because the machine's speed varies between rounds.

import { candidateNames } from './candidates.ts';
import type { CandidateName } from './candidates.ts';
import type { Sample } from './run.ts';
import { workloadNames } from './workload.ts';
import type { WorkloadName } from './workload.ts';

export type Row = Readonly<{
  candidate: CandidateName;
  workload: WorkloadName;
  rps: number;
  cpu_us: number | null;
  p50_us: number;
  p99_us: number;
  rss_mb: number | null;
}>;

export type Ratio = Readonly<{
  candidate: CandidateName;
  against: CandidateName;
  workload: WorkloadName;
  cpu: number;
  /** The smallest and largest value of the rounds. */
  cpuRange: readonly [number, number];
}>;

export type Summary = Readonly<{ rows: readonly Row[]; ratios: readonly Ratio[] }>;

export type Target = Readonly<{
  candidate: CandidateName;
  workload: WorkloadName;
  against: CandidateName;
  cpuMax: number;
}>;

export const targets: readonly Target[] = (['gw', 'gw-full'] as const).flatMap((candidate) => [
  { candidate, workload: 'json-1k', against: 'nginx', cpuMax: 1.6 },
  { candidate, workload: 'sse-50', against: 'nginx', cpuMax: 0.8 },
  { candidate, workload: 'json-32k', against: 'nginx', cpuMax: 1.8 },
  { candidate, workload: 'code-32k', against: 'nginx', cpuMax: 1.8 },
  { candidate, workload: 'sse-paced', against: 'nginx', cpuMax: 1.6 },
  { candidate, workload: 'json-1k', against: 'floor', cpuMax: 1.25 },
  { candidate, workload: 'sse-50', against: 'floor', cpuMax: 1.25 },
  { candidate, workload: 'json-32k', against: 'floor', cpuMax: 1.7 },
  { candidate, workload: 'sse-paced', against: 'floor', cpuMax: 1.15 },
  { candidate, workload: 'cache-hit', against: 'hello', cpuMax: 1.2 },
  { candidate, workload: 'json-1k', against: 'portkey', cpuMax: 1 / 10 },
  { candidate, workload: 'sse-50', against: 'portkey', cpuMax: 1 / 7 },
]);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

export function summarise(samples: readonly Sample[]): Summary {
  const pairs = workloadNames.flatMap((workload) =>
    candidateNames.map((candidate) => ({ workload, candidate })),
  );
  const measured = pairs.filter((pair) => roundsOf(samples, pair).length > 0);
  const against = (['floor', 'hello', 'nginx', 'portkey'] as const).flatMap((name) =>
    measured.flatMap((pair) => ratioOf(samples, pair, name) ?? []),
  );
  return {
    rows: measured.map((pair) => rowOf(pair, roundsOf(samples, pair))),
    ratios: against,
  };
}

type Pair = Readonly<{ candidate: CandidateName; workload: WorkloadName }>;

const rowOf = ({ candidate, workload }: Pair, rounds: readonly Sample[]): Row => ({
  candidate,
  workload,
  rps: round(median(rounds.map((sample) => sample.requestsPerSecond)), 0),
  cpu_us: orNull(rounds.map((sample) => sample.cpuMicros)),
  p50_us: round(median(rounds.map((sample) => sample.p50Micros)), 0),
  p99_us: round(median(rounds.map((sample) => sample.p99Micros)), 0),
  rss_mb: orNull(rounds.map((sample) => sample.rssMegabytes)),
});

const roundsOf = (samples: readonly Sample[], { candidate, workload }: Pair): readonly Sample[] =>
  samples.filter((sample) => sample.candidate === candidate && sample.workload === workload);

function ratioOf(
  samples: readonly Sample[],
  { candidate, workload }: Pair,
  against: CandidateName,
): Ratio | null {
  if (candidate === against) return null;
  const others = new Map(
    roundsOf(samples, { candidate: against, workload }).map((other) => [other.round, other]),
  );
  const ratios = roundsOf(samples, { candidate, workload }).flatMap(({ round, cpuMicros }) => {
    const other = others.get(round)?.cpuMicros ?? null;
    return cpuMicros === null || other === null ? [] : [cpuMicros / other];
  });
  if (ratios.length === 0) return null;
  const cpuRange = [Math.min(...ratios), Math.max(...ratios)] as const;
  return { candidate, against, workload, cpu: median(ratios), cpuRange };
}

function orNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : round(median(known), 1);
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

export const jsonLines = ({ rows }: Summary): string =>
  rows.map((row) => JSON.stringify(row)).join('\n');

/** Markdown, which is readable on a terminal too. */
export const renderReport = (summary: Summary): string =>
  [renderRows(summary), renderTargets(summary)].filter((part) => part !== '').join('\n\n');

function renderRows({ rows, ratios }: Summary): string {
  const head = [
    [
      'workload',
      'candidate',
      'req/s',
      'CPU µs',
      '÷ floor',
      '÷ nginx',
      '÷ portkey',
      'busy',
      'p50 ms',
      'p99 ms',
    ],
    'RSS MB',
  ].flat();
  const ratio = (row: Row, against: CandidateName): string => {
    const found = ratios.find(
      (one) =>
        one.candidate === row.candidate && one.workload === row.workload && one.against === against,
    );
    return found === undefined ? '–' : found.cpu.toFixed(found.cpu < 0.2 ? 3 : 2);
  };
  const cells = rows.map((row) => [
    row.workload,
    row.candidate,
    row.rps.toLocaleString('en'),
    row.cpu_us === null ? '–' : row.cpu_us.toFixed(1),
    ratio(row, 'floor'),
    ratio(row, 'nginx'),
    ratio(row, 'portkey'),
    row.cpu_us === null ? '–' : `${((row.cpu_us * row.rps) / 10_000).toFixed(0)} %`,
    (row.p50_us / 1000).toFixed(2),
    (row.p99_us / 1000).toFixed(2),
    row.rss_mb === null ? '–' : row.rss_mb.toFixed(0),
  ]);
  return renderTable(head, cells);
}

function renderTargets({ ratios }: Summary): string {
  const cells = targets.flatMap(({ candidate, workload, against, cpuMax }) => {
    const found = ratios.find(
      (one) => one.candidate === candidate && one.workload === workload && one.against === against,
    );
    if (found === undefined) return [];
    const [low, high] = found.cpuRange.map((value) => value.toFixed(3));
    return [
      [
        `${candidate} ÷ ${against}`,
        workload,
        `≤ ${cpuMax.toFixed(3)}`,
        found.cpu.toFixed(3),
        `${low} to ${high}`,
        found.cpu <= cpuMax ? 'met' : 'missed',
      ],
    ];
  });
  if (cells.length === 0) return '';
  return renderTable(['CPU', 'workload', 'target', 'median', 'rounds', ''], cells);
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
