// Makes one page of metrics of those of several processes that share a port: counters and histograms are added up, and so are
// gauges but for those of a state, of which the worst is shown.

import { metricTable } from './metric-table.ts';

/** What two processes' readings of a gauge make together; added up when its table does not say otherwise. */
const worst: ReadonlyMap<string, (a: number, b: number) => number> = new Map(
  Object.values(metricTable).flatMap(({ name, merge }) =>
    merge === 'sum' ? [] : [[name, merge === 'min' ? Math.min : Math.max] as const],
  ),
);

export type Page = Readonly<{
  /** In the text format of Prometheus 0.0.4. */
  text: string;
  /** Of a process that is gone: what it counted still counts, what it was does not. */
  isGone: boolean;
}>;

type Family = {
  readonly head: string[];
  readonly isGauge: boolean;
  /** By name and labels, as they are written. */
  readonly samples: Map<string, number>;
};

export function mergePages(pages: readonly Page[]): string {
  const families = new Map<string, Family>();
  for (const page of pages) addPage(families, page);
  const lines: string[] = [];
  for (const { head, samples } of families.values()) {
    if (samples.size === 0) continue;
    lines.push(...head);
    for (const [key, value] of samples) lines.push(`${key} ${formatted(value)}`);
    lines.push('');
  }
  return `${lines.join('\n')}\n`;
}

function addPage(families: Map<string, Family>, { text, isGone }: Page): void {
  let help: string[] = [];
  let name = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = [line];
    else if (line.startsWith('# TYPE ')) {
      const [, , own = '', type = ''] = line.split(' ');
      name = own;
      if (!families.has(name)) {
        const head = [...help, line];
        families.set(name, { head, isGauge: type === 'gauge', samples: new Map() });
      }
    } else if (line !== '' && !line.startsWith('#')) {
      const family = families.get(name);
      if (family !== undefined && !(isGone && family.isGauge)) addSample(family, name, line);
    }
  }
}

/** A sample is its name and labels, a space, and its value; labels may hold spaces themselves. */
function addSample({ samples, isGauge }: Family, name: string, line: string): void {
  const space = line.lastIndexOf(' ');
  const key = line.slice(0, space);
  const value = Number(line.slice(space + 1).replace('Inf', 'Infinity'));
  const before = samples.get(key);
  if (before === undefined) samples.set(key, value);
  else samples.set(key, (isGauge ? worst.get(name) : undefined)?.(before, value) ?? before + value);
}

const formatted = (value: number): string =>
  Number.isFinite(value) ? String(value) : String(value).replace('Infinity', '+Inf');
