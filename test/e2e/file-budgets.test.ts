// Tests a budget in a configuration file, with a gw process: it refuses requests once spent, also
// after a restart.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { chatBody } from '../harness/gateway/gateway.ts';
import { startProgram } from '../harness/program/program.ts';
import { answerJson, completion, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

async function startProxy(test: TestContext, directory: string) {
  const program = startProgram(test, {
    args: ['--port', '0', '--config', path.join(directory, 'gw.yaml')],
    env: { GW_BUDGET_STATE: path.join(directory, 'budgets') },
  });
  const { url } = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
  const chat = async (): Promise<number> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
      body: JSON.stringify(chatBody('m')),
    });
    await response.arrayBuffer();
    return response.status;
  };
  return { chat, end: program.end };
}

it('refuses a key with 980 of 1,000 tokens used once they are spent, also after a restart', async (t) => {
  await using upstream = await startUpstream(answerJson({ ...completion, usage: counts }));
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-file-budget-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const budget = '{ tokens_total: 1000, tokens_used: 980, window: monthly }';
  await writeFile(
    path.join(directory, 'gw.yaml'),
    `model_list:
  - { model_name: m, litellm_params: { model: openai/m, api_base: ${upstream.apiBase} } }
auth:
  keys:
    - { key: a-key, name: spender, models: ['*'], budget: ${budget} }
`,
  );
  const first = await startProxy(t, directory);
  const statuses = [await first.chat(), await first.chat(), await first.chat()];
  assert.deepEqual(statuses, [200, 200, 402]);
  await first.end('SIGTERM');
  const second = await startProxy(t, directory);
  assert.equal(await second.chat(), 402);
  await second.end('SIGKILL');
  const third = await startProxy(t, directory);
  assert.equal(await third.chat(), 402);
  const written = async () => (await readdir(path.join(directory, 'budgets'))).length === 1;
  await until(written, { what: 'one file of state' });
});
