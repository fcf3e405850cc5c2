// Tests that the dashboard and the rules in deploy/ use only series, labels and label values that
// processes export.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { parse } from 'yaml';
import { z } from 'zod';

import { allotmentMetrics } from '../../src/gateway/control-link/allotment-metrics.ts';
import { AllottedBudgets } from '../../src/limits/allotted-budgets.ts';
import { Limiter } from '../../src/limits/limiter.ts';
import { Spending } from '../../src/limits/spending.ts';
import { openUsageSpool } from '../../src/gateway/usage/spool.ts';
import { newOperatorCounts, operatorSource } from '../../src/operator/counts.ts';
import { renderMetrics } from '../../src/telemetry/registry.ts';
import { openTracer } from '../../src/telemetry/open-tracer.ts';
import { testAdministrator } from '../harness/admin/admin.ts';
import { startCollector } from '../harness/gateway/collector.ts';
import { chatBody, collectLog, startTestGateway } from '../harness/gateway/gateway.ts';
import { readMetrics } from '../harness/gateway/metrics-text.ts';
import type { Family, Sample } from '../harness/gateway/metrics-text.ts';
import { answerJson, startUpstream, unusedApiBase } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const deploy = (...names: readonly string[]): string =>
  readFileSync(path.join(import.meta.dirname, '../../deploy', ...names), 'utf8');

const dashboard = z.object({
  uid: z.string(),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).optional(),
    }),
  ),
});

const rule = z.strictObject({
  alert: z.string().regex(/^Gw[A-Za-z]+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+m$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string().optional() }),
});
const ruleFile = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })),
});

/** Labels that Prometheus adds to each series, or that histograms have. */
const ofTheScrape = new Set(['instance', 'job', 'le']);

type Selector = Readonly<{
  name: string;
  matchers: readonly (readonly [string, string, string])[];
}>;

const selectors = (expr: string): readonly Selector[] =>
  [...expr.matchAll(/\b((?:gw|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', inside = '']) => ({
      name,
      matchers: [...inside.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => [label, operator, value] as const,
      ),
    }),
  );

const grouped = (expr: string): readonly string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));

const shownLabels = (text: string): readonly string[] =>
  [...text.matchAll(/\{\{ *(?:\$labels\.)?(\w+) *\}\}/g)].flatMap(([, label = '']) => label);

/** Reads the metrics of each listener after some traffic. */
async function exported(test: Pick<TestContext, 'after'>): Promise<Map<string, Family>> {
  await using collector = await startCollector();
  await using upstream = await startUpstream((request, response) => {
    if (request.path === '/metrics') response.end('vllm:num_requests_running 1\n');
    else answerJson()(request, response);
  });
  const tracer = await openTracer({
    endpoint: collector.endpoint,
    sampleOneIn: 1,
    serviceName: 'gw',
    version: '1',
    log: collectLog([]),
  });
  const budgets = new AllottedBudgets({ spending: new Spending() });
  const allotments = allotmentMetrics({ limiter: new Limiter(), budgets, monotonic: () => 0 });
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-spool-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const spool = await openUsageSpool({
    directory,
    replica: 'r1',
    bytesMax: 1024,
    log: collectLog([]),
  });
  const backend = { apiBase: upstream.apiBase, flow: { maxConcurrent: 4 } };
  await using gateway = await startTestGateway(
    { models: { m: { backends: [backend] } }, keys: { key: {} } },
    { tracer, engineMetrics: { intervalMs: 20 }, sources: [spool.source, allotments] },
  );
  await (await gateway.chat(chatBody('m'))).text();
  const isRead = () => gateway.gateway.backends()[0]?.engine !== undefined;
  await until(isRead, { what: "the engine's metrics" });
  const families = new Map(readMetrics(await gateway.metrics()));
  const admin = await testAdministrator(test);
  await admin.send('POST', '/admin/webhooks', { name: 'w', url: await unusedApiBase() });
  await admin.send('POST', '/admin/webhooks/1/test');
  const { webhooks } = admin.admin;
  await until(() => webhooks.measured().failures.size > 0, { what: 'a failed delivery' });
  await webhooks.measure();
  // Set as in a process with an audit signing key.
  admin.plane.measures.signedAt = performance.now();
  // Set as in a process that archives usage.
  const archived = { hours: 1, bytes: 1, pendingHours: 0, failedHours: 0 };
  admin.plane.measures.archive = { ...archived, failures: 0, isUsed: true };
  await admin.admin.needs.operations.usageUpkeep.run();
  const operated = { ...newOperatorCounts(), phases: [] };
  for (const text of [
    await (await fetch(`${admin.url}/metrics`)).text(),
    await renderMetrics([operatorSource(operated)]),
  ]) {
    for (const [name, family] of readMetrics(text)) families.set(name, family);
  }
  return families;
}

describe('the dashboard and alerts', () => {
  let families = new Map<string, Family>();
  it('are compared with the metrics of running processes', async (test) => {
    families = await exported(test);
    assert.ok(families.has('gw_requests_total') && families.has('gw_log_lag_events'));
  });

  const samplesOf = (name: string): readonly Sample[] => {
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    const samples = family?.samples.filter((sample) => sample.name === name) ?? [];
    assert.ok(samples.length > 0, `${name} is not exported`);
    return samples;
  };

  function check(expr: string, text: string): void {
    const read = selectors(expr);
    assert.ok(read.length > 0, expr);
    const known = new Set(ofTheScrape);
    for (const { name, matchers } of read) {
      const samples = samplesOf(name);
      for (const label of samples.flatMap(({ labels }) => Object.keys(labels))) known.add(label);
      for (const [label, operator, value] of matchers) {
        assert.ok(known.has(label), `${name} has no label ${label}`);
        if (ofTheScrape.has(label) || operator.startsWith('!')) continue;
        const values = operator === '=~' ? value.split('|') : [value];
        for (const one of values) {
          const has = samples.some(({ labels }) => labels[label] === one);
          assert.ok(has, `${name} has no ${label} ${one}`);
        }
      }
    }
    for (const label of [...grouped(expr), ...shownLabels(text)]) {
      assert.ok(known.has(label), `${label} in ${expr}`);
    }
  }

  const { uid, panels } = dashboard.parse(JSON.parse(deploy('dashboards', 'gw.json')));

  it('have a fixed dashboard uid and unique panel ids', () => {
    assert.equal(uid, 'gw-overview');
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  });

  for (const { title, targets = [] } of panels) {
    if (targets.length === 0) continue;
    it(`the panel "${title}" reads exported metrics`, () => {
      for (const { expr, legendFormat } of targets) check(expr, legendFormat);
    });
  }

  const { groups } = ruleFile.parse(parse(deploy('alerts', 'gw.rules.yaml')));
  const rules = groups.flatMap(({ rules }) => rules);

  it('have unique alert names', () => {
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  });

  for (const { alert, expr, annotations } of rules) {
    it(`the alert ${alert} reads exported metrics`, () => {
      check(expr, `${annotations.summary} ${annotations.description ?? ''}`);
    });
  }
});
