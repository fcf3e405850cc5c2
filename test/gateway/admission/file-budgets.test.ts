// Tests the budgets of a configuration file: counted once, stored across restarts, shared by the processes of one proxy.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { openFileBudgets } from '../../../src/gateway/usage/file-budgets.ts';
import { Spending } from '../../../src/limits/spending.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { usageEvent } from '../../../src/usage/usage-event.ts';
import { fileOfText } from '../../harness/gateway/config-file.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { reported } from '../../harness/admin/usage.ts';
import { until } from '../../harness/wait.ts';

const dayMs = 24 * 60 * 60 * 1000;

function fileOf(names: readonly string[], window = 'window: daily'): Snapshot {
  const keys = names.map(
    (name) =>
      `    - { key: key-${name}, name: ${name}, models: ['*'], ` +
      `budget: { tokens_total: 1000, tokens_used: 900, ${window} } }`,
  );
  const model = '  - { model_name: m, litellm_params: { model: openai/m, api_base: http://h/v1 } }';
  const text = ['model_list:', model, 'auth:', '  keys:', ...keys].join('\n');
  return fileOfText(text).snapshot;
}

async function testDirectory(test: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-budgets-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, 'budgets');
}

type Given = Readonly<{
  slot?: number;
  clock?: { ms: number };
  saveMs?: number;
  window?: string;
}>;

/** A process of a proxy, which serves `names` in this order; `spend` and `used` are of the one named `a`. */
async function startProcess(
  directory: string,
  { slot = 0, clock = { ms: 10 * dayMs }, saveMs = 60_000, window }: Given = {},
  names: readonly string[] = ['a'],
) {
  const spending = new Spending();
  const logLines: LogLine[] = [];
  const budgets = await openFileBudgets({
    directory,
    name: 'file',
    slot,
    spending,
    log: collectLog(logLines),
    clock: () => clock.ms,
    saveMs,
  });
  const snapshot = budgets.withSpent(fileOf(names, window));
  const place = names.indexOf('a');
  const principal = snapshot.config.principals[place];
  const use = snapshot.overlay.budgets[place];
  assert.ok(principal?.budget && use?.window_start);
  const { tokens_used, cost_used_micros, window_start } = use;
  const sum = { tokens_used, cost_used_micros, windowStartMs: Date.parse(window_start) };
  const budget = { caps: principal.budget, reported: sum };
  let rows = 0;
  const spend = (tokens: number): void => {
    const event = usageEvent.parse({ ...reported(++rows), principal_id: principal.id });
    const hold = spending.hold(principal.id, budget, { tokens: 1, micros: 0 });
    budgets.record(event, spending.conclude(hold, { tokens, micros: tokens * 2 }));
  };
  const used = (): number => spending.currentSpend(principal.id, budget).spent.tokens_used;
  return { ...budgets, spend, used, spending, logLines, use };
}

describe('the budgets of a file', () => {
  it('begin at tokens_used and go on from there after a restart', async (t) => {
    const directory = await testDirectory(t);
    const first = await startProcess(directory);
    assert.equal(first.used(), 900);
    first.spend(30);
    first.spend(5);
    assert.equal(first.used(), 935);
    assert.equal(first.spending.size.rows, 0);
    await first.close();
    const [file = ''] = await readdir(directory);
    assert.equal((await stat(path.join(directory, file))).mode & 0o777, 0o600);
    const next = await startProcess(directory);
    assert.equal(next.used(), 935);
    await next.close();
  });

  it('stay with the name of their key when the file is put in another order', async (t) => {
    const directory = await testDirectory(t);
    const first = await startProcess(directory, {}, ['a', 'b']);
    first.spend(30);
    await first.close();
    const next = await startProcess(directory, {}, ['b', 'c', 'a']);
    assert.equal(next.used(), 930);
    await next.close();
  });

  it('are spent by all processes of a proxy together', async (t) => {
    const directory = await testDirectory(t);
    const one = await startProcess(directory, { slot: 0, saveMs: 5 });
    const two = await startProcess(directory, { slot: 1, saveMs: 5 });
    one.spend(30);
    two.spend(7);
    await until(() => one.used() === 937 && two.used() === 937, { what: 'the sum at both' });
    await Promise.all([one.close(), two.close()]);
    // And by fewer of them after a restart.
    const next = await startProcess(directory);
    assert.equal(next.used(), 937);
    await next.close();
  });

  it('start at zero in the next window', async (t) => {
    const directory = await testDirectory(t);
    const clock = { ms: 10 * dayMs + 5 };
    const first = await startProcess(directory, { clock, saveMs: 5 });
    first.spend(30);
    clock.ms = 11 * dayMs - 1;
    assert.equal(first.used(), 930);
    clock.ms = 11 * dayMs;
    await until(() => first.used() === 0, { what: 'the next window' });
    first.spend(3);
    assert.equal(first.used(), 3);
    await first.close();
    const next = await startProcess(directory, { clock });
    assert.equal(next.used(), 3);
    await next.close();
  });

  it('follow the calendar of their time zone', async (t) => {
    const directory = await testDirectory(t);
    const clock = { ms: Date.parse('2026-10-25T09:00:00Z') };
    const window = 'calendar: { unit: day, time_zone: Europe/Zurich }';
    const first = await startProcess(directory, { clock, saveMs: 5, window });
    // The day on which summer time ends has 25 hours.
    assert.equal(first.use.window_start, '2026-10-24T22:00:00.000Z');
    assert.equal(first.use.window_end, '2026-10-25T23:00:00.000Z');
    first.spend(30);
    clock.ms = Date.parse('2026-10-25T22:59:59.999Z');
    first.spend(5);
    assert.equal(first.used(), 935);
    clock.ms = Date.parse('2026-10-25T23:00:00Z');
    await until(() => first.used() === 0, { what: 'the next day' });
    await first.close();
    const next = await startProcess(directory, { clock, window });
    assert.equal(next.used(), 0);
    await next.close();
  });

  it('go on in their window when the clock is set back across its start', async (t) => {
    const directory = await testDirectory(t);
    const clock = { ms: 11 * dayMs };
    const first = await startProcess(directory, { clock, saveMs: 5 });
    first.spend(30);
    clock.ms = 11 * dayMs - 500;
    first.spend(3);
    await first.close();
    clock.ms = 11 * dayMs + 500;
    const next = await startProcess(directory, { clock });
    assert.equal(next.used(), 933);
    await next.close();
  });

  it('count the readable files of other processes when one is unreadable', async (t) => {
    const directory = await testDirectory(t);
    const two = await startProcess(directory, { slot: 1 });
    two.spend(30);
    await two.close();
    await writeFile(path.join(directory, 'file-2.json'), '{"format":');
    const one = await startProcess(directory);
    assert.equal(one.used(), 930);
    assert.match(String(one.logLines[0]?.fields['error']), /file-2\.json is not a valid/);
    // One that could be read before counts as it was.
    await writeFile(path.join(directory, 'file-1.json'), '{"format":');
    one.spend(1);
    await one.close();
    assert.equal(one.used(), 931);
  });

  it('are counted in memory where the directory cannot be used, and the log says so once', async () => {
    const { spend, used, close, logLines } = await startProcess('/dev/null/none', { saveMs: 5 });
    spend(30);
    await until(() => logLines.length > 0, { what: 'a line of the log' });
    spend(1);
    assert.equal(used(), 931);
    await close();
    assert.equal(logLines.length, 1);
  });

  it('begin again from a file that cannot be read, which the log names', async (t) => {
    const directory = await testDirectory(t);
    const first = await startProcess(directory);
    first.spend(30);
    await first.close();
    const [file = ''] = await readdir(directory);
    await writeFile(path.join(directory, file), '{"format":');
    const next = await startProcess(directory);
    assert.equal(next.used(), 900);
    assert.equal(next.logLines[0]?.message, 'the spending of budgets is not stored on disk');
    await next.close();
  });
});
