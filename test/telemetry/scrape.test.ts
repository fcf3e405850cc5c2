// Tests pages of metrics: valid text, each series once, a bounded number of series, and nothing
// without a source.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { assert as check, asyncProperty, double, string, uniqueArray } from 'fast-check';

import { newDurations, observe } from '../../src/telemetry/histogram.ts';
import { metricTable } from '../../src/telemetry/metric-table.ts';
import { createMetricsPage, newCounts } from '../../src/telemetry/metrics.ts';
import type { BackendReading, Readings } from '../../src/telemetry/metrics.ts';
import { renderMetrics } from '../../src/telemetry/registry.ts';
import type { Source } from '../../src/telemetry/scrape.ts';
import { readMetrics } from '../harness/gateway/metrics-text.ts';

const samplesOf = async (name: string, sources: readonly Source[], seriesMax?: number) =>
  readMetrics(await renderMetrics(sources, seriesMax)).get(name)?.samples ?? [];

const backend = (model: string, more: Partial<BackendReading> = {}): BackendReading => ({
  apiBase: 'http://a/v1',
  model,
  requests: 1,
  errors: 0,
  inFlight: 0,
  isHealthy: true,
  ejections: 0,
  durations: newDurations(),
  engine: null,
  admission: null,
  ...more,
});

const page = async (readings: Partial<Readings>) =>
  readMetrics(
    await createMetricsPage(newCounts(), {
      version: '1',
      isMetered: true,
      read: () => ({
        snapshotVersion: 1,
        snapshotAgeSeconds: 0,
        isSnapshotRefused: false,
        cache: { entries: 0, bytes: 0 },
        models: [],
        backends: [],
        ...readings,
      }),
    }).render(),
  );

describe('the table', () => {
  const all = Object.values(metricTable);

  it('names each series once, as the format and its conventions want it', () => {
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
    for (const { name, type, help, labels } of all) {
      assert.match(name, /^(gw|process)_[a-z_]+$/);
      assert.equal(name.endsWith('_total'), type === 'counter', name);
      if (type === 'histogram') assert.match(name, /_seconds$/);
      assert.match(help, /^[^\\\n]{10,}$/);
      for (const label of labels) assert.match(label, /^[a-z_]+$/);
    }
  });

  it('holds every name of the specification, with its labels', () => {
    const backend = ['api_base', 'model'];
    const named: Readonly<Record<string, readonly string[]>> = {
      gw_snapshot_version: [],
      gw_snapshot_age_seconds: [],
      gw_build_info: ['version'],
      gw_classify_escalations_total: [],
      gw_classified_refined_total: [],
      gw_classified_fast_total: [],
      gw_backend_duration_seconds: backend,
      gw_model_duration_seconds: ['model'],
      gw_backend_healthy: backend,
      gw_backend_requests_total: backend,
      gw_backend_errors_total: backend,
      gw_upstream_status_total: ['class'],
      gw_cache_total: ['kind'],
      gw_cache_entries: [],
      gw_cache_bytes: [],
      gw_usage_reports_dropped_total: [],
      gw_backend_engine_requests: ['state', ...backend],
      gw_admission_max_concurrent: backend,
      gw_admission_capacity: backend,
      gw_admission_in_use: backend,
      gw_admission_queued: backend,
      gw_admission_admitted_total: backend,
      gw_admission_refused_total: ['reason', ...backend],
    };
    for (const [name, labels] of Object.entries(named)) {
      const metric = all.find((one) => one.name === name);
      assert.ok(metric !== undefined, name);
      assert.deepEqual([...metric.labels].toSorted(), [...labels].toSorted(), name);
    }
  });
});

describe('a page', () => {
  it('has no family that nothing adds to', async () => {
    const families = [...(await page({})).keys()];
    for (const absent of [/^gw_admission/, /^gw_classif/, /^gw_backend/, /^gw_log/]) {
      assert.deepEqual(
        families.filter((name) => absent.test(name)),
        [],
      );
    }
    assert.ok(families.includes('gw_requests_total'));
  });

  it('shows no age while there is no configuration, and never one below zero', async () => {
    assert.equal((await page({ snapshotVersion: 0 })).has('gw_snapshot_age_seconds'), false);
    const aged = await page({ snapshotVersion: 1, snapshotAgeSeconds: -3 });
    assert.equal(aged.get('gw_snapshot_age_seconds')?.samples[0]?.value, 0);
  });

  it('adds readings of one series, and takes the worse of a state', async () => {
    const slow = newDurations();
    observe(slow, 20);
    const readings = [
      backend('m', { inFlight: 2, durations: slow }),
      backend('m', { inFlight: 3, isHealthy: false, durations: slow }),
      backend('m'),
    ];
    const families = await page({ backends: readings });
    const value = (name: string) => families.get(name)?.samples.map((sample) => sample.value);
    assert.deepEqual(value('gw_backend_requests_total'), [3]);
    assert.deepEqual(value('gw_backend_inflight'), [5]);
    assert.deepEqual(value('gw_backend_healthy'), [0]);
    assert.equal(value('gw_backend_duration_seconds')?.at(-1), 2);
  });

  it('puts what is beyond the bound of a family into one series, and loses nothing', async () => {
    const models = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const source: Source = (scrape) => {
      for (const model of models) {
        scrape.add('modelTokens', { model, kind: 'prompt' }, 1);
        scrape.add('backendHealthy', { api_base: 'a', model }, model === 'm40' ? 0 : 1);
      }
    };
    const tokens = await samplesOf('gw_model_tokens_total', [source], 10);
    assert.equal(tokens.length, 11);
    assert.deepEqual(tokens.at(-1)?.labels, { model: 'other', kind: 'prompt' });
    assert.equal(tokens.at(-1)?.value, 40);
    const healthy = await samplesOf('gw_backend_healthy', [source], 10);
    assert.equal(healthy.at(-1)?.value, 0);
  });

  it('is bounded when everything configured is', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => backend(`${'x'.repeat(2000)}${index}`));
    const distinct = Array.from({ length: 5000 }, (_, index) => backend(`model-${index}`));
    for (const backends of [many, distinct]) {
      const text = await renderMetrics([
        (scrape) => {
          for (const { apiBase, model, durations } of backends) {
            scrape.addDurations('backendDuration', { api_base: apiBase, model }, durations);
          }
        },
      ]);
      assert.ok(text.length < 4 * 1024 * 1024, String(text.length));
    }
  });

  it('is one family of many series, and lets others have their turn while it is printed', async () => {
    let turns = 0;
    let isPrinted = false;
    const count = (): void => {
      turns++;
      if (!isPrinted) setImmediate(count);
    };
    setImmediate(count);
    const text = await renderMetrics([
      (scrape) => {
        for (let index = 0; index < 1000; index++) {
          scrape.addDurations('modelDuration', { model: `m${index}` }, newDurations());
        }
      },
    ]);
    isPrinted = true;
    assert.ok(turns >= 10, String(turns));
    assert.equal(text.match(/^# (?:HELP|TYPE) /gm)?.length, 2);
    const { samples = [] } = readMetrics(text).get('gw_model_duration_seconds') ?? {};
    assert.equal(new Set(samples.map(({ labels }) => labels['model'])).size, 1000);
  });

  it('can be read back, whatever the names and numbers', async () => {
    const text = string({ unit: 'binary', maxLength: 40 });
    await check(
      asyncProperty(uniqueArray(text), double({ noNaN: true }), async (models, value) => {
        const source: Source = (scrape) => {
          for (const model of models)
            scrape.add('admissionQueued', { api_base: 'a', model }, value);
        };
        if (models.length === 0) return;
        const samples = await samplesOf('gw_admission_queued', [source]);
        assert.deepEqual(
          samples.map(({ labels }) => labels['model']),
          models,
        );
        for (const sample of samples) assert.equal(sample.value, value === 0 ? 0 : value);
      }),
    );
  });
});
