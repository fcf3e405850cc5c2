// Spooled usage comes back whole and in order, whatever happened to the process that wrote it.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import * as fc from 'fast-check';

import { readSpool, spoolHead, spoolLines } from '../../../src/gateway/usage/spool-format.ts';
import { openUsageSpool } from '../../../src/gateway/usage/spool.ts';
import type { UsageSpool, UsageSpoolOptions } from '../../../src/gateway/usage/spool.ts';
import { usageEvent } from '../../../src/usage/usage-event.ts';
import type { UsageEvent } from '../../../src/usage/usage-event.ts';
import { usageRow } from '../../../src/usage/usage-row.ts';
import { renderMetrics } from '../../../src/telemetry/registry.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { readMetrics } from '../../harness/gateway/metrics-text.ts';
import { reported } from '../../harness/admin/usage.ts';

const event = (number: number, change: Readonly<Record<string, unknown>> = {}): UsageEvent =>
  usageEvent.parse(reported(number, change));
/** Events as they are read. */
const events = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_value, index) => usageRow(event(from + index)));
/** Events as they are written. */
const rows = (from: number, count: number): Buffer[] =>
  events(from, count).map((text) => Buffer.from(text));

async function testDirectory(test: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-spool-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function open(directory: string, more: Partial<UsageSpoolOptions> = {}) {
  const lines: LogLine[] = [];
  const options = { directory, replica: 'r1', bytesMax: 10_000_000, log: collectLog(lines) };
  return { ...(await openUsageSpool({ ...options, ...more })), lines };
}

/** All that is there, and it is gone then. */
async function drain(spool: UsageSpool, eventsMax = 7): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const batch = await spool.next(eventsMax);
    if (batch === null) return found;
    assert.ok(batch.events.length > 0 && batch.events.length <= eventsMax);
    found.push(...batch.events);
    await spool.drop();
  }
}

/** The bytes of its files, and their limit, on a page of metrics. */
async function shown({ source }: UsageSpool): Promise<readonly unknown[]> {
  const families = readMetrics(await renderMetrics([source]));
  return ['gw_usage_spool_bytes', 'gw_usage_spool_max_bytes'].map(
    (name) => families.get(name)?.samples[0]?.value,
  );
}

const idOf = (text: string): unknown => usageEvent.parse(JSON.parse(text)).id;

describe('a spool', () => {
  it('gives back what it was given, in order and in batches, and leaves no file', async (t) => {
    const directory = path.join(await testDirectory(t), 'made', 'when missing');
    const spool = await open(directory, { fileBytesMax: 5000 });
    assert.equal(spool.isEmpty(), true);
    for (let from = 0; from < 50; from += 10) {
      assert.equal(await spool.append(rows(from, 10)), 10);
    }
    assert.ok((await readdir(directory)).length > 1);
    assert.deepEqual(await drain(spool), events(0, 50));
    assert.deepEqual(await readdir(directory), []);
    assert.equal(spool.isEmpty(), true);
    await spool.append(rows(60, 1));
    assert.deepEqual(await drain(spool), events(60, 1));
    await spool.close();
  });

  it('shows the bytes of its files and their limit, also of files that it takes over', async (t) => {
    const directory = await testDirectory(t);
    const onDisk = async (): Promise<number> => {
      const names = await readdir(directory);
      const sizes = await Promise.all(names.map((name) => stat(path.join(directory, name))));
      return sizes.reduce((sum, { size }) => sum + size, 0);
    };
    const first = await open(directory, { fileBytesMax: 2000, bytesMax: 123_456 });
    assert.deepEqual(await shown(first), [0, 123_456]);
    await first.append(rows(0, 10));
    await first.append(rows(10, 10));
    assert.ok((await onDisk()) > 4000);
    assert.deepEqual(await shown(first), [await onDisk(), 123_456]);
    await first.close();
    const second = await open(directory, { bytesMax: 123_456 });
    assert.deepEqual(await shown(second), [await onDisk(), 123_456]);
    await drain(second);
    assert.deepEqual(await shown(second), [0, 123_456]);
    await second.close();
  });

  it('gives the same again until it is dropped', async (t) => {
    const spool = await open(await testDirectory(t));
    await spool.append(rows(0, 3));
    for (const _time of ['first', 'second']) {
      assert.deepEqual(await spool.next(2), { replica: 'r1', events: events(0, 2) });
    }
    await spool.drop();
    assert.deepEqual((await spool.next(2))?.events, events(2, 1));
    await spool.close();
  });

  it('is readable only by its owner', async (t) => {
    const directory = path.join(await testDirectory(t), 'spool');
    const spool = await open(directory);
    await spool.append(rows(0, 1));
    const [name = ''] = await readdir(directory);
    assert.equal((await stat(path.join(directory, name))).mode & 0o777, 0o600);
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    await spool.close();
  });

  it('takes no more than it has room for, and says how many that were', async (t) => {
    const directory = await testDirectory(t);
    const bytesMax = 10_000;
    const spool = await open(directory, { bytesMax, fileBytesMax: 2000 });
    let taken = 0;
    for (let from = 0; from < 40; from += 4) taken += await spool.append(rows(from, 4));
    assert.ok(taken > 5 && taken < 40);
    const names = await readdir(directory);
    const sizes = await Promise.all(names.map(async (name) => stat(path.join(directory, name))));
    const heads = names.length * spoolHead('r1').length;
    assert.ok(sizes.reduce((sum, { size }) => sum + size, 0) <= bytesMax + heads);
    assert.equal((await drain(spool)).length, taken);
    assert.equal(await spool.append(rows(0, 4)), 4);
    await spool.close();
  });

  it('is found by the next process, as its first one left it', async (t) => {
    const directory = await testDirectory(t);
    const killed = await open(directory);
    await killed.append(rows(0, 5));
    const next = await open(directory, { replica: 'r2' });
    await next.append(rows(5, 5));
    assert.equal((await next.next(500))?.replica, 'r1');
    assert.deepEqual(await drain(next), events(0, 10));
    await next.close();
    await killed.close();
  });

  it('loses nothing when another process takes its file while it writes', async (t) => {
    const directory = await testDirectory(t);
    const writer = await open(directory);
    const found = new Set<unknown>();
    for (let from = 0; from < 200; from += 10) {
      const [thief] = await Promise.all([
        open(directory, { replica: 'thief' }),
        writer.append(rows(from, 10)),
      ]);
      for (const value of await drain(thief)) found.add(idOf(value));
      await thief.close();
    }
    for (const value of await drain(writer)) found.add(idOf(value));
    await writer.close();
    assert.deepEqual(found, new Set(events(0, 200).map(idOf)));
  });

  it('leaves files of others alone', async (t) => {
    const directory = await testDirectory(t);
    await writeFile(path.join(directory, 'notes.txt'), 'mine');
    const spool = await open(directory);
    assert.equal(spool.isEmpty(), true);
    assert.deepEqual(await readdir(directory), ['notes.txt']);
    await spool.close();
  });

  it('is not opened where it cannot write', async (t) => {
    const file = path.join(await testDirectory(t), 'file');
    await writeFile(file, '');
    await assert.rejects(open(file));
  });

  it('reports damaged lines, and continues after them', async (t) => {
    const directory = await testDirectory(t);
    const first = await open(directory);
    await first.append(rows(0, 4));
    await first.close();
    const [name = ''] = await readdir(directory);
    const file = path.join(directory, name);
    const text = await readFile(file, 'utf8');
    const changed = text.replace('"prompt_tokens":1000', '"prompt_tokens":9000');
    await writeFile(file, changed.slice(0, -20));
    const next = await open(directory);
    assert.deepEqual(await drain(next), events(1, 2));
    assert.ok(
      next.lines.some(
        ({ message }) => message === 'spooled usage was damaged; its lines are skipped',
      ),
    );
    await next.close();
  });
});

describe('a spool file', () => {
  const written = Buffer.concat([spoolHead('r1'), spoolLines(rows(0, 3), 100_000).lines]);

  it('that ends anywhere holds the events whose lines came whole', () => {
    const ends = written.toString('latin1').split('\n');
    let end = 0;
    const lineEnds = ends.slice(0, -1).map((line) => (end += line.length + 1));
    for (let bytes = 0; bytes <= written.length; bytes++) {
      // Without its line end, a line whose bytes are all there is whole.
      const whole = Math.max(0, lineEnds.filter((at) => at <= bytes + 1).length - 1);
      assert.deepEqual(readSpool(written.subarray(0, bytes)).events, events(0, whole), `${bytes}`);
    }
  });

  it('in which bytes changed holds no event that was never written', () => {
    const honest = new Set(events(0, 3));
    const change = fc.tuple(fc.nat(written.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(written);
        for (const [at, byte] of changes) bytes[at] = byte;
        for (const found of readSpool(bytes).events) assert.ok(honest.has(found));
      }),
      { numRuns: 300 },
    );
  });
});
