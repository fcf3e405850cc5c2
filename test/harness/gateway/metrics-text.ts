// Parses the Prometheus text format strictly
// (https://prometheus.io/docs/instrumenting/exposition_formats/). Fails on anything that Prometheus
// would reject or misread.

import assert from 'node:assert/strict';

export type Sample = Readonly<{
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}>;

export type Family = Readonly<{ name: string; type: string; help: string; samples: Sample[] }>;

const head = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const sampleForm = /^([a-zA-Z_:][\w:]*)(?:\{((?:[^"\\}]|"(?:[^"\\]|\\[\\n"])*")*)\})? (\S+)$/;
const labelForm = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\n"])*)"(?:,(?=[a-zA-Z_])|$)/y;
const suffixes = ['_bucket', '_sum', '_count'];

export function readMetrics(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: Family | null = null;
  let help: readonly string[] | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    // "Empty lines are ignored."
    if (line === '') continue;
    const [, keyword, name = '', rest = ''] = head.exec(line) ?? [];
    if (keyword === 'HELP') {
      assert.ok(!families.has(name), `${name} stands together`);
      help = [name, rest];
    } else if (keyword === 'TYPE') {
      assert.equal(help?.[0], name, 'HELP before TYPE');
      current = { name, type: rest, help: help?.[1] ?? '', samples: [] };
      families.set(name, current);
    } else {
      assert.ok(current !== null, line);
      const sample = readSample(line);
      const isOwn = sample.name === current.name && current.type !== 'histogram';
      const isPart =
        current.type === 'histogram' &&
        suffixes.some((suffix) => sample.name === `${current?.name}${suffix}`);
      assert.ok(isOwn || isPart, `${line} under ${current.name}`);
      const key = `${sample.name}${seriesText(sample.labels)}`;
      assert.ok(!seen.has(key), `${line} comes twice`);
      seen.add(key);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

const seriesText = (labels: Sample['labels']): string =>
  Object.keys(labels)
    .toSorted((a, b) => a.localeCompare(b))
    .map((name) => `${name}=${JSON.stringify(labels[name])}`)
    .join();

function readSample(line: string): Sample {
  const [, name = '', labelText = '', number = ''] = sampleForm.exec(line) ?? [];
  assert.notEqual(name, '', `not a sample: ${line}`);
  const labels: Record<string, string> = {};
  labelForm.lastIndex = 0;
  while (labelForm.lastIndex < labelText.length) {
    const [, key = '', value = ''] = labelForm.exec(labelText) ?? [];
    assert.ok(key !== '' && !(key in labels), line);
    labels[key] = value.replaceAll(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  }
  const value = Number(number.replace(/^([+-])Inf$/, '$1Infinity'));
  assert.ok(!Number.isNaN(value), line);
  return { name, labels, value };
}

const withoutBound = ({ labels }: Sample): string => seriesText({ ...labels, le: '' });

function checkFamily({ name, type, samples }: Family): void {
  assert.ok(samples.length > 0, `${name} has samples`);
  if (type === 'counter' || type === 'histogram') {
    assert.ok(
      samples.every(({ value }) => value >= 0),
      `${name} is not negative`,
    );
  }
  if (type === 'counter') assert.match(name, /_total$/);
  if (type !== 'histogram') return;
  for (const series of Map.groupBy(samples, withoutBound).values()) {
    const of = (suffix: string) => series.filter((sample) => sample.name === name + suffix);
    const bounds = of('_bucket').map(({ labels }) => labels['le'] ?? '');
    const counts = of('_bucket').map(({ value }) => value);
    const numbers = bounds.map((bound) => (bound === '+Inf' ? Infinity : Number(bound)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    assert.equal(numbers.at(-1), Infinity);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name} is cumulative`,
    );
    assert.deepEqual(
      of('_count').map(({ value }) => value),
      counts.slice(-1),
    );
    assert.equal(of('_sum').length, 1);
  }
}
