// Tests that `gw dev` is usable without any setting, resumes its earlier state, and leaves no
// process running.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { loginToAdmin } from '../../src/cli/control-plane/admin-client.ts';

const program = path.join(import.meta.dirname, '../../src/main.ts');

const readyLine = z.object({
  gateway_url: z.url(),
  admin_url: z.url(),
  login: z.object({ name: z.string(), password: z.string() }),
  sign_in_url: z.url(),
  api_key: z.string(),
  model: z.string(),
  database_url: z.string(),
});

type Dev = Readonly<{
  ready: z.output<typeof readyLine>;
  /** The end of its standard error. */
  logged: () => string;
  /** Interrupts it and returns its exit code. */
  interrupt: () => Promise<number | null>;
}>;

const startLimitMs = 60_000;

async function dev(stack: AsyncDisposableStack, parameters: readonly string[]): Promise<Dev> {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [program, 'dev', '--json', '--port', '0', '--admin-port', '0', ...parameters],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-100_000);
  });
  const exited = once(child, 'exit');
  // Interrupted, because a killed process would leave its database server running.
  stack.defer(async () => {
    if (child.exitCode === null && child.kill('SIGINT')) await exited;
  });
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(startLimitMs);
  const first = await Promise.race([
    once(lines, 'line', { signal }),
    exited.then(() => assert.fail(`gw dev ended: ${errors.slice(-4000)}`)),
  ]);
  return {
    ready: readyLine.parse(JSON.parse(String(first[0]))),
    logged: () => errors,
    interrupt: async () => {
      child.kill('SIGINT');
      await exited;
      return child.exitCode;
    },
  };
}

/** Disposes of its contents in reverse order when the test ends. */
function stackOf(t: TestContext): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  return stack;
}

function freshDirectory(stack: AsyncDisposableStack): string {
  const directory = path.join(os.tmpdir(), `gw-dev-test-${randomUUID()}`);
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const chat = ({ ready }: Dev, body: Readonly<Record<string, unknown>> = {}): Promise<Response> =>
  fetch(`${ready.gateway_url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ready.api_key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      model: ready.model,
      messages: [{ role: 'user', content: 'hi' }],
      ...body,
    }),
  });

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

test('prints a key that can call the printed model, and a login for the admin API', async (t) => {
  const started = await dev(stackOf(t), ['--ephemeral']);
  const plain = await chat(started);
  assert.equal(plain.status, 200);
  assert.match(await plain.text(), /Hello from gw!/);
  const streamed = await chat(started, { stream: true });
  assert.match(await streamed.text(), /data: \[DONE\]\n\n$/);
  const { ready, interrupt } = started;
  await loginToAdmin(ready.admin_url, ready.login);
  assert.equal(await interrupt(), 0);
});

/** Redeems the sign-in link as the UI does. */
const signIn = ({ ready }: Dev): Promise<Response> =>
  fetch(new URL('/login/link', ready.admin_url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URL(ready.sign_in_url).hash.replace('#sign-in=', '') }),
  });

test('prints a sign-in link that works only once', async (t) => {
  const started = await dev(stackOf(t), ['--ephemeral']);
  const { ready, interrupt, logged } = started;
  assert.match(ready.sign_in_url, /^http:\/\/127\.0\.0\.1:\d+\/ui\/#sign-in=[\w-]{22}$/);
  const first = await signIn(started);
  assert.equal(first.status, 200);
  const cookie = first.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const session = await fetch(`${ready.admin_url}/session`, { headers: { cookie } });
  assert.match(await session.text(), /"name":"admin"/);
  const audit = await fetch(`${ready.admin_url}/admin/audit?limit=1`, { headers: { cookie } });
  assert.match(await audit.text(), /"summary":"Signed in with the link of gw dev"/);
  const second = await signIn(started);
  assert.equal(second.status, 401);
  assert.match(await second.text(), /the sign-in link was already used/);
  assert.equal(await interrupt(), 0);
  assert.ok(!logged().includes(new URL(ready.sign_in_url).hash.slice('#sign-in='.length)));
});

/** Revokes the demo's grant and changes the password of its administrator. */
async function change({ ready }: Dev): Promise<void> {
  const admin = await loginToAdmin(ready.admin_url, ready.login);
  const answer = z.unknown();
  const principals = await admin.get(
    '/admin/principals',
    z.array(z.object({ id: z.int(), name: z.string() })),
  );
  const idOf = (name: string): number => principals.find((one) => one.name === name)?.id ?? 0;
  await admin.send({
    method: 'DELETE',
    path: `/admin/principals/${idOf('demo')}/roles/inference`,
    answer,
  });
  await admin.send({
    method: 'PUT',
    path: `/admin/principals/${idOf('admin')}/password`,
    body: { password: 'a password of my own' },
    answer,
  });
}

test('a directory of data', async (t) => {
  const stack = stackOf(t);
  const directory = freshDirectory(stack);
  const start = (): Promise<Dev> => dev(stack, ['--data-dir', directory]);
  const first = await start();

  await t.test('is closed to other accounts', async () => {
    assert.equal(await modeOf(path.join(directory, 'dev.json')), 0o600);
    assert.equal(await modeOf(path.join(directory, 'postgres')), 0o700);
    assert.equal((await modeOf(directory)) & 0o066, 0);
  });

  await t.test('holds no running database once gw dev has ended', async () => {
    assert.equal(await first.interrupt(), 0);
    const files = await readdir(path.join(directory, 'postgres', 'data'));
    assert.equal(files.includes('postmaster.pid'), false);
  });

  await t.test(
    'gives a second start the key, the password and the model of the first',
    async () => {
      const second = await start();
      assert.equal(second.ready.api_key, first.ready.api_key);
      assert.deepEqual(second.ready.login, first.ready.login);
      assert.equal((await chat(second)).status, 200);
      await change(second);
      assert.equal(await second.interrupt(), 0);
    },
  );

  await t.test(
    'gives a start after the login and the grant were changed what is printed',
    async () => {
      const third = await start();
      assert.deepEqual(third.ready.login, first.ready.login);
      await loginToAdmin(third.ready.admin_url, third.ready.login);
      assert.equal((await chat(third)).status, 200);
      assert.equal(await third.interrupt(), 0);
    },
  );
});
