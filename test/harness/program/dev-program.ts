// Runs `gw dev` of an installed program, and uses it like a person who tries gw.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { z } from 'zod';

const readyLine = z.object({
  gateway_url: z.url(),
  admin_url: z.url(),
  api_key: z.string(),
  model: z.string(),
});

type Given = Readonly<{ cwd: string; env: NodeJS.ProcessEnv }>;

/** It answers a chat, serves its UI and its documentation, and ends when it is interrupted. */
export async function tryDevProgram(program: string, { cwd, env }: Given): Promise<void> {
  const args = ['dev', '--json', '--ephemeral', '--port', '0', '--admin-port', '0'];
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => assert.fail(`ended without a line: ${errors}`)),
  ]);
  const ready = readyLine.parse(JSON.parse(String(line[0])));
  const answer = await fetch(`${ready.gateway_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: ready.model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  const page = await fetch(`${ready.admin_url}/ui/`);
  assert.match(await page.text(), /^<!doctype html>/u);
  assert.equal((await fetch(`${ready.admin_url}/help/`)).status, 200);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
  await assert.rejects(fetch(`${ready.admin_url}/healthz`), 'nothing is left listening');
}
