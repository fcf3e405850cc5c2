// Tests merging the pages of several processes: counters are summed, and states show the worst.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newDurations, observe } from '../../src/telemetry/histogram.ts';
import { mergePages } from '../../src/telemetry/merge-pages.ts';
import type { MetricName } from '../../src/telemetry/metric-table.ts';
import type { OwnMetricsPage } from '../../src/telemetry/metrics.ts';
import { readFamilies } from '../../src/telemetry/registry.ts';
import type { Source } from '../../src/telemetry/scrape.ts';
import { startTestGateway } from '../harness/gateway/gateway.ts';
import { readMetrics } from '../harness/gateway/metrics-text.ts';

const backend = { api_base: 'a', model: 'm' };

/** One series without labels. */
const one =
  (name: Extract<MetricName, 'requests' | 'cacheEntries' | 'snapshotVersion' | 'snapshotAge'>) =>
  (value: number): Source =>
  (scrape) =>
    scrape.add(name, {}, value);
const requests = one('requests');
const entries = one('cacheEntries');
const model =
  (name: string, value: number): Source =>
  (scrape) =>
    scrape.add('modelRequests', { model: name }, value);
const healthy =
  (value: number): Source =>
  (scrape) =>
    scrape.add('backendHealthy', backend, value);
const took =
  (...milliseconds: readonly number[]): Source =>
  (scrape) => {
    const durations = newDurations();
    for (const each of milliseconds) observe(durations, each);
    scrape.addDurations('backendDuration', backend, durations);
  };

type GivenPage = Readonly<{ sources: readonly Source[]; isGone: boolean }>;
const living = (...sources: readonly Source[]): GivenPage => ({ sources, isGone: false });
const gone = (...sources: readonly Source[]): GivenPage => ({ sources, isGone: true });

async function merged(given: readonly GivenPage[]): Promise<string> {
  const pages = given.map(async ({ sources, isGone }) => {
    // The format in which processes exchange pages.
    const families: unknown = JSON.parse(JSON.stringify(await readFamilies(sources)));
    return { families: families as Awaited<ReturnType<typeof readFamilies>>, isGone };
  });
  return mergePages(await Promise.all(pages)).metrics();
}

const samplesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^\w/.test(line));

const seriesOf = (text: string): readonly string[] =>
  samplesOf(text).map((line) => line.replace(/ \S+$/, ''));

describe('merged pages of metrics', () => {
  for (const [what, pages, expected] of [
    ['counters are added up', [living(requests(2)), living(requests(3))], ['gw_requests_total 5']],
    [
      'series of other labels stay apart, and labels may hold spaces',
      [living(model('x y', 2)), living(model('x z', 3))],
      ['gw_model_requests_total{model="x y"} 2', 'gw_model_requests_total{model="x z"} 3'],
    ],
    [
      'what happens in parallel is added up',
      [living(entries(2)), living(entries(3))],
      ['gw_cache_entries 5'],
    ],
    [
      'the oldest version is shown',
      [7, 6].map((version) => living(one('snapshotVersion')(version))),
      ['gw_snapshot_version 6'],
    ],
    [
      'the greatest age is shown',
      [7, 9].map((age) => living(one('snapshotAge')(age))),
      ['gw_snapshot_age_seconds 9'],
    ],
    [
      'one that takes a backend for unhealthy is enough',
      [living(healthy(0)), living(healthy(1))],
      ['gw_backend_healthy{api_base="a",model="m"} 0'],
    ],
    [
      'what a process counted stays when it is gone, what it was does not',
      [living(requests(1), entries(1)), gone(requests(4), entries(8))],
      ['gw_requests_total 5', 'gw_cache_entries 1'],
    ],
    ['a state that only one that is gone had is not there', [gone(entries(8))], []],
    ['one page stays as it is', [living(requests(1))], ['gw_requests_total 1']],
  ] as const) {
    it(what, async () => assert.deepEqual(samplesOf(await merged(pages)), expected));
  }

  it('of a real page keep every series', async () => {
    const own: OwnMetricsPage[] = [];
    const shareMetrics = (page: OwnMetricsPage) => {
      own.push(page);
      return page;
    };
    await using gateway = await startTestGateway({ models: {}, keys: {} }, { shareMetrics });
    await (await gateway.chat({})).text();
    const families = (await own[0]?.families()) ?? [];
    const page = { families, isGone: false };
    const twice = await mergePages([page, page]).metrics();
    assert.deepEqual(seriesOf(twice), seriesOf(await gateway.metrics()));
    assert.match(twice, /^gw_requests_total 2$/m);
    assert.match(twice, /^gw_request_duration_seconds_bucket\{le="\+Inf"\} 2$/m);
  });

  it('keep the head of a family', async () => {
    const text = await merged([living(requests(1)), gone(requests(1))]);
    const { help, type } = readMetrics(text).get('gw_requests_total') ?? {};
    assert.deepEqual({ help, type }, { help: 'Requests on the proxied routes', type: 'counter' });
  });

  it('add up a histogram bucket by bucket', async () => {
    const pages = [living(took(1, 20)), gone(took(20, 70_000))];
    const parts = readMetrics(await merged(pages)).get('gw_backend_duration_seconds')?.samples;
    const counts = new Map(parts?.map(({ labels, value }) => [labels['le'], value]));
    assert.equal(counts.get('0.001'), 1);
    assert.equal(counts.get('0.025'), 3);
    assert.equal(counts.get('60'), 3);
    assert.equal(counts.get('+Inf'), 4);
    const whole = Object.fromEntries(
      parts?.slice(-2).map(({ name, value }) => [name, value]) ?? [],
    );
    assert.equal(whole['gw_backend_duration_seconds_count'], 4);
    assert.ok(Math.abs((whole['gw_backend_duration_seconds_sum'] ?? 0) - 70.041) < 1e-9);
  });
});
