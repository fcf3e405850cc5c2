// Pages of several processes become one: sums of what they count, the worst of what they are.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { mergePages } from '../../src/telemetry/merge-pages.ts';
import { startTestGateway } from '../harness/gateway.ts';

const counter = (value: number, labels = '') =>
  `# HELP c help\n# TYPE c counter\nc${labels} ${value}\n`;
const gauge = (name: string, value: number) =>
  `# HELP ${name} help\n# TYPE ${name} gauge\n${name} ${value}\n`;
const living = (text: string) => ({ text, isGone: false });
const gone = (text: string) => ({ text, isGone: true });

describe('merged pages of metrics', () => {
  for (const [what, pages, expected] of [
    ['counters are added up', [counter(2), counter(3)].map(living), counter(5)],
    [
      'series of other labels stay apart, and labels may hold spaces',
      [counter(2, '{a="x y"}'), counter(3, '{a="x z"}')].map(living),
      `${counter(2, '{a="x y"}')}c{a="x z"} 3\n`,
    ],
    [
      'what happens in parallel is added up',
      [gauge('g', 2), gauge('g', 3)].map(living),
      gauge('g', 5),
    ],
    [
      'the oldest version is shown',
      [gauge('gw_snapshot_version', 7), gauge('gw_snapshot_version', 6)].map(living),
      gauge('gw_snapshot_version', 6),
    ],
    [
      'the greatest age is shown',
      [gauge('gw_snapshot_age_seconds', 7), gauge('gw_snapshot_age_seconds', 9)].map(living),
      gauge('gw_snapshot_age_seconds', 9),
    ],
    [
      'one that takes a backend for unhealthy is enough',
      [gauge('gw_backend_healthy', 0), gauge('gw_backend_healthy', 1)].map(living),
      gauge('gw_backend_healthy', 0),
    ],
    [
      'what a process counted stays when it is gone, what it was does not',
      [living(counter(1) + gauge('g', 1)), gone(counter(4) + gauge('g', 8))],
      `${counter(5)}\n${gauge('g', 1)}`,
    ],
    ['one page stays as it is', [living(counter(1))], counter(1)],
  ] as const) {
    it(what, () => assert.equal(mergePages(pages).trim(), expected.trim()));
  }

  it('of a real page keep every series, and a histogram its buckets', async () => {
    await using gateway = await startTestGateway({ models: {}, keys: {} });
    await (await gateway.chat({})).text();
    const text = await gateway.metrics();
    const twice = mergePages([living(text), living(text)]);
    const series = (from: string) =>
      from.split('\n').flatMap((line) => (/^\w/.test(line) ? [line.replace(/ \S+$/, '')] : []));
    assert.deepEqual(series(twice), series(text));
    assert.match(twice, /^gw_requests_total 2$/m);
    assert.match(twice, /^gw_request_duration_seconds_bucket\{le="\+Inf"\} 2$/m);
  });
});
