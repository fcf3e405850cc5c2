// Tests `npm start` as a person or a supervisor runs it: it reports readiness in one line, and
// leaves no process when npm is told to stop.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';

import { OpenAI } from 'openai';
import { z } from 'zod';

const root = path.join(import.meta.dirname, '../..');
const endLimitMs = 20_000;
const ready = z.object({ gateway_url: z.string(), api_key: z.string(), model: z.string() });

it('npm start serves the openai client, and leaves no process after SIGTERM', async (test) => {
  const options = ['--json', '--ephemeral', '--port', '0', '--admin-port', '0'];
  const npm = spawn('npm', ['--silent', 'start', '--', ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  test.after(() => npm.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: npm.stdout }), 'line');
  const { gateway_url, api_key, model } = ready.parse(JSON.parse(String(line)));
  const client = new OpenAI({ baseURL: `${gateway_url}/v1`, apiKey: api_key });
  const models = await client.models.list();
  assert.deepEqual(
    models.data.map(({ id }) => id),
    [model],
  );
  const messages = [{ role: 'user', content: 'hello' }] as const;
  const answer = await client.chat.completions.create({ model, messages: [...messages] });
  assert.match(answer.choices[0]?.message.content ?? '', /hello/);
  const stream = await client.chat.completions.create({
    model,
    messages: [...messages],
    stream: true,
  });
  let streamed = '';
  for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? '';
  assert.match(streamed, /hello/);

  npm.kill('SIGTERM');
  // The pipe closes when the last process that holds it ends.
  await once(npm, 'close', { signal: AbortSignal.timeout(endLimitMs) });
  await assert.rejects(fetch(`${gateway_url}/healthz`));
});
