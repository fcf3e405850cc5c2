// Usage that cannot be delivered is kept on disk: nothing is lost but what is counted as lost, and nothing counts twice.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import * as fc from 'fast-check';

import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { createUsageReporter } from '../../../src/gateway/control-link/report.ts';
import { openUsageSpool } from '../../../src/gateway/usage/spool.ts';
import { newCounts } from '../../../src/telemetry/metrics.ts';
import { usageBatch, usageEvent } from '../../../src/usage/usage-event.ts';
import type { UsageEvent } from '../../../src/usage/usage-event.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream, SeenRequest } from '../../harness/upstream/upstream.ts';
import { reported } from '../../harness/admin/usage.ts';
import { until } from '../../harness/wait.ts';

const event = (number: number): UsageEvent => usageEvent.parse(reported(number));

async function testDirectory(test: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-spool-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

type More = Readonly<{ flushMs?: number; queuedMax?: number; closeMs?: number; bytesMax?: number }>;

async function startReporter(control: ScriptedUpstream, directory: string, more: More = {}) {
  const controlUrl = control.apiBase.replace('/v1', '');
  const client = createControlClient({ controlUrl, proxyToken: 'token', caBundle: [] });
  const counts = newCounts();
  const log = collectLog([]);
  const { bytesMax = 10_000_000, flushMs = 10, ...rest } = more;
  const spool = await openUsageSpool({ directory, replica: 'r1', bytesMax, log });
  const reporter = createUsageReporter({
    client,
    replica: 'r1',
    run: '01ARZ3NDEKTSV4RRFFQ6000000',
    counts,
    log,
    spool,
    flushMs,
    ...rest,
  });
  const record = (from: number, count: number): void => {
    for (let number = from; number < from + count; number++) reporter.record(event(number), null);
  };
  return { ...reporter, record, spool, counts, client };
}

const taken = answerJson({ accepted: 1, dropped: 0 });

/** The final count of a control plane that counts each id once. */
const delivered = ({ seen }: Pick<ScriptedUpstream, 'seen'>, from = 0): readonly string[] => {
  const batches = seen.slice(from).map(({ body }) => usageBatch.parse(JSON.parse(String(body))));
  return [
    ...new Set(batches.flatMap(({ events }) => events.map((one) => usageEvent.parse(one).id))),
  ];
};

const ids = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_value, index) => event(from + index).id);

describe('the usage reporter with a spool', () => {
  it('keeps undelivered rows on disk, and delivers them in order later', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(answerJson({}, 503));
    const usage = await startReporter(control, directory, { queuedMax: 100 });
    for (let from = 0; from < 600; from += 60) {
      usage.record(from, 60);
      await until(() => usage.queued() === 0, { what: 'the queue to be on disk' });
    }
    assert.equal(usage.spool.isEmpty(), false);
    const failed = control.seen.length;
    control.play(taken);
    await until(() => usage.spool.isEmpty(), { what: 'the delivery of all' });
    assert.deepEqual(delivered(control, failed), ids(0, 600));
    assert.equal(usage.counts.usageDropped, 0);
    await usage.close();
    await usage.client.close();
  });

  it('touches no disk while deliveries succeed', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(taken);
    const usage = await startReporter(control, directory, { flushMs: 1000 });
    usage.record(0, 1200);
    await until(() => usage.queued() === 0, { what: 'the delivery' });
    assert.deepEqual(await readdir(directory), []);
    assert.deepEqual(delivered(control), ids(0, 1200));
    await usage.close();
    await usage.client.close();
  });

  it('stores the rows of a delivery that got no response', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(() => {});
    const usage = await startReporter(control, directory, { closeMs: 50 });
    usage.record(0, 5);
    await until(() => !usage.spool.isEmpty() && usage.queued() === 0, { what: 'a file' });
    await usage.close();
    const next = await startReporter(control, directory);
    control.play(taken);
    const before = control.seen.length;
    await until(() => next.spool.isEmpty(), { what: 'the delivery by the next process' });
    assert.deepEqual(delivered(control, before), ids(0, 5));
    for (const one of [next, usage]) await one.client.close();
    await next.close();
  });

  it('keeps rows added during a delivery of rows from disk', async (t) => {
    const directory = await testDirectory(t);
    const answers: (() => void)[] = [];
    await using control = await startUpstream((_request, response) => {
      answers.push(() => void response.end('{}'));
    });
    const usage = await startReporter(control, directory, { flushMs: 200 });
    usage.record(0, 5);
    await until(() => answers.length > 0 && !usage.spool.isEmpty(), { what: 'a file' });
    usage.record(5, 5);
    const before = control.seen.length;
    control.play(taken);
    for (const answer of answers) answer();
    await until(() => usage.spool.isEmpty() && usage.queued() === 0, { what: 'the delivery' });
    assert.deepEqual(new Set(delivered(control, before)), new Set(ids(0, 10)));
    await usage.close();
    await usage.client.close();
  });

  it('leaves undelivered rows on disk when it stops, within its time limit', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(() => {});
    const usage = await startReporter(control, directory, { flushMs: 60_000, closeMs: 50 });
    usage.record(0, 700);
    const startedAt = performance.now();
    await usage.close();
    assert.ok(performance.now() - startedAt < 5000);
    assert.equal(usage.counts.usageDropped, 0);
    await usage.client.close();
    control.play(taken);
    const before = control.seen.length;
    const next = await startReporter(control, directory);
    await until(() => next.spool.isEmpty(), { what: 'the delivery by the next process' });
    assert.deepEqual(delivered(control, before), ids(0, 700));
    await next.close();
    await next.client.close();
  });

  it('counts exactly the rows that fit neither on disk nor in memory', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(answerJson({}, 503));
    const usage = await startReporter(control, directory, { bytesMax: 20_000, queuedMax: 50 });
    for (let from = 0; from < 400; from += 25) {
      usage.record(from, 25);
      const tries = control.seen.length;
      await until(() => control.seen.length > tries, { what: 'another try' });
    }
    const { usageDropped } = usage.counts;
    assert.ok(usageDropped > 0);
    const failed = control.seen.length;
    control.play(taken);
    await until(() => usage.spool.isEmpty() && usage.queued() === 0, { what: 'the delivery' });
    assert.equal(delivered(control, failed).length, 400 - usage.counts.usageDropped);
    await usage.close();
    await usage.client.close();
  });

  it('loses nothing for any sequence of responses and restarts', async (t) => {
    const stored: SeenRequest[] = [];
    const storing =
      (script: Script): Script =>
      (request, response) => {
        stored.push(request);
        script(request, response);
      };
    const scripts: Readonly<Record<string, Script>> = {
      taken: storing(taken),
      refused: answerJson({}, 503),
      unauthorised: answerJson({}, 401),
      silent: () => {},
      lost: storing((_request, response) => void response.destroy()),
      cut: storing((_request, response) => {
        response.writeHead(200).write('{', () => void response.destroy());
      }),
    };
    const lives = fc.array(
      fc.record({
        script: fc.constantFrom(...Object.keys(scripts)),
        count: fc.integer({ min: 0, max: 700 }),
        ends: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const life = fc.asyncProperty(lives, async (steps) => {
      stored.length = 0;
      const directory = await testDirectory(t);
      await using control = await startUpstream(storing(taken));
      const more = { flushMs: 3, closeMs: 30 };
      let usage = await startReporter(control, directory, more);
      let recorded = 0;
      for (const { script, count, ends } of steps) {
        control.play(scripts[script] ?? taken);
        usage.record(recorded, count);
        recorded += count;
        await until(() => usage.queued() === 0 || script === 'silent', { what: 'a safe place' });
        if (!ends) continue;
        await usage.close();
        assert.equal(usage.counts.usageDropped, 0);
        await usage.client.close();
        usage = await startReporter(control, directory, more);
      }
      control.play(storing(taken));
      const atRest = () => usage.spool.isEmpty() && usage.queued() === 0;
      await until(atRest, { what: 'the delivery of all' });
      await usage.close();
      await usage.client.close();
      assert.deepEqual(delivered({ seen: stored }).toSorted(), ids(0, recorded));
      assert.equal(usage.counts.usageDropped, 0);
    });
    await fc.assert(life, { numRuns: 8 });
  });

  it('keeps rows in memory if the disk refuses them', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(answerJson({}, 503));
    const usage = await startReporter(control, directory);
    await rm(directory, { recursive: true });
    usage.record(0, 5);
    const tries = control.seen.length;
    await until(() => control.seen.length > tries + 2, { what: 'some tries' });
    const failed = control.seen.length;
    control.play(taken);
    await until(() => usage.queued() === 0, { what: 'the delivery' });
    assert.deepEqual(delivered(control, failed), ids(0, 5));
    assert.equal(usage.counts.usageDropped, 0);
    await usage.close();
    await usage.client.close();
  });

  it('drops a batch that is refused repeatedly, so that others are delivered', async (t) => {
    const directory = await testDirectory(t);
    await using control = await startUpstream(answerJson({}, 400));
    const usage = await startReporter(control, directory, { flushMs: 2 });
    usage.record(0, 3);
    await until(() => usage.spool.isEmpty() && usage.queued() === 0, { what: 'the drop' });
    assert.equal(usage.counts.usageDropped, 3);
    control.play(taken);
    const before = control.seen.length;
    usage.record(3, 1);
    await until(() => control.seen.length > before, { what: 'the next delivery' });
    await usage.close();
    assert.deepEqual(delivered(control, before), ids(3, 1));
    await usage.client.close();
  });
});
