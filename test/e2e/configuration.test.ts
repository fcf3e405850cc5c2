// Tests declarative configuration on the demo: an export plans no changes, a manual change appears
// as drift, and an apply reverts it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';

import { z } from 'zod';

import { gw } from '../harness/program/command-line.ts';

const root = path.join(import.meta.dirname, '../..');
const ready = z.object({
  admin_url: z.string(),
  login: z.object({ name: z.string(), password: z.string() }),
});

it('plans no changes for the demo’s export, and shows and reverts drift', async (test) => {
  const options = ['--json', '--ephemeral', '--port', '0', '--admin-port', '0'];
  const npm = spawn('npm', ['--silent', 'start', '--', ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  test.after(() => npm.kill('SIGTERM'));
  const directory = await mkdtemp(path.join(tmpdir(), 'gw-configuration-'));
  test.after(() => rm(directory, { recursive: true }));
  const [line] = await once(createInterface({ input: npm.stdout }), 'line');
  const { admin_url: url, login } = ready.parse(JSON.parse(String(line)));
  const env = { GW_CONTROL_URL: url, GW_PASSWORD: login.password };
  const run = (...given: readonly string[]) => gw([...given, '--login', login.name], { env });
  const file = path.join(directory, 'gw.yaml');

  const exported = await run('export', '-o', file);
  assert.deepEqual([exported.code, exported.stderr], [0, '']);
  assert.match(await readFile(file, 'utf8'), /^models:\n {2}- name: demo\n/m);
  const planned = await run('plan', '-f', directory);
  assert.deepEqual([planned.code, planned.stderr], [0, '']);
  assert.match(planned.stdout, /^No changes\.\n\d+ resources match the files and are not managed/);
  assert.equal((await run('apply', '-f', file, '--reason', 'commit 1')).code, 0);
  assert.equal((await run('plan', '-f', file)).stdout, 'No changes.\n');

  const cookie = await signIn(url, login);
  const asAdmin = (method: string, at: string, body?: object) =>
    fetch(`${url}${at}`, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  assert.equal((await asAdmin('PATCH', '/admin/models/1', { context_length: 5 })).status, 200);
  const drifted = await run('plan', '-f', file);
  assert.equal(drifted.code, 10);
  const [changed, field, drift, counts] = drifted.stdout.split('\n');
  assert.deepEqual(
    [changed, field, counts],
    [
      '~ models "demo" (id 1)',
      '    context_length: 5 -> null',
      'Plan: 0 to create, 1 to change, 0 to delete.',
    ],
  );
  assert.match(
    drift ?? '',
    /^ {4}changed since the last apply by admin at \S+, event \d+ \(ModelContextLengthSet\)$/,
  );
  const undone = await run('apply', '-f', file, '--reason', 'commit 3f1c2aa');
  assert.deepEqual([undone.code, undone.stderr], [0, '']);
  assert.equal((await run('plan', '-f', file)).stdout, 'No changes.\n');
  const commands = await (await asAdmin('GET', '/admin/history/commands?limit=1')).json();
  const [last] = z
    .array(z.looseObject({ command: z.string(), reason: z.string() }))
    .parse(commands);
  assert.deepEqual([last?.command, last?.reason], ['ApplyConfiguration', 'commit 3f1c2aa']);

  await writeFile(file, 'models:\n  - name: demo\n    context_length: many\n');
  const wrong = await run('plan', '-f', file);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /models\[0\]\.context_length: .* \(\S*gw\.yaml line 3\)/);
});

async function signIn(url: string, login: object): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  await answer.body?.cancel();
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
