// Tests the output of `gw tail` while the log grows, and after its connections were lost.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { cloudEventSchema } from '../../../test/harness/admin/event-stream.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { testPlane } from '../../../test/harness/control/plane.ts';
import { until } from '../../../test/harness/wait.ts';

const main = path.join(import.meta.dirname, '../../../src/main.ts');

function startTail(test: Pick<TestContext, 'after'>, url: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [main, 'tail', ...words], {
    env: { ...process.env, GW_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => (said.out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (said.err += bytes.toString()));
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  test.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = (): readonly string[] => said.out.split('\n').slice(0, -1);
  return { said, lines };
}

it('gw tail prints every event once and in order, also when its connections were broken', async (t) => {
  const { run, url, plane, session } = await testPlane(t);
  const head = (): number => plane.store.state().position;
  const tail = startTail(t, url, '--after', '0', '--json');
  const reaches = (count: number) =>
    until(() => tail.lines().length >= count, {
      what: `${count} lines: ${tail.said.err}`,
    });
  const client = await session();
  await reaches(head());
  for (const name of ['a', 'b', 'c']) {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'gw tail' and datname = current_database()`,
    );
    await run({ command: { type: 'CreateModel', name, fields: {} } });
    await reaches(head());
  }
  const events = tail.lines().map((line) => cloudEventSchema.parse(JSON.parse(line)));
  assert.deepEqual(
    events.map(({ id }) => Number(id)),
    Array.from({ length: head() }, (_, at) => at + 1),
  );
});

it('gw tail refuses a position that is none, or that the log does not hold', async (t) => {
  const { url, plane } = await testPlane(t);
  const env = { GW_DATABASE_URL: url };
  const wrong = await gw(['tail', '--after', 'x'], { env });
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [2, 'gw: --after must be a whole number from 0, was "x"\n'],
  );
  const { position } = plane.store.state();
  const beyond = await gw(['tail', '--after', '99999'], { env });
  assert.deepEqual(
    [beyond.code, beyond.stderr],
    [5, `gw: --after: the log ends at position ${position}, was 99999\n`],
  );
});
