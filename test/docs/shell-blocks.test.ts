// Runs every shell block of the README, the pages and the guides. The blocks of a page run in order, in one shell.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { z } from 'zod';

import { testDatabase } from '../harness/postgres/postgres.ts';
import { startEngine } from '../harness/upstream/queueing-engine.ts';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** test/cli/dev.test.ts tests the first. The second is the command that runs this test. */
const skippedBlocks = new Set(['npm ci && npm start', 'npm test']);

/** These need their own servers: test/e2e/{backup,high-availability}.test.ts run their blocks. */
const testedElsewhere = new Set(['back-up-and-restore.md', 'high-availability.md']);

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/{*,guides/*,reference/*}.md', { cwd: root }).filter(
    (page) => !testedElsewhere.has(path.basename(page)),
  ),
];

const blocksOf = (page: string): string[] =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^( *)```sh\n(.*?)^ *```$/gms)]
    .map(([, indent = '', block = '']) => block.replaceAll(`\n${indent}`, '\n').trim())
    .filter((block) => !skippedBlocks.has(block));

const readyLine = z.object({
  gateway_url: z.string(),
  admin_url: z.string(),
  api_key: z.string(),
  login: z.object({ name: z.string(), password: z.string() }),
});

type Dev = Readonly<{ ready: z.output<typeof readyLine>; end: () => Promise<void> }>;

/** Starts the server that the README tells a reader to start. Every page uses it. */
async function startDev(): Promise<Dev> {
  const args = ['dev', '--ephemeral', '--json', '--port', '0', '--admin-port', '0'];
  const child = spawn(process.execPath, [path.join(root, 'src/main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    return { ready: readyLine.parse(JSON.parse(line)), end };
  }
  throw new Error('gw dev ended before it was ready');
}

/** Creates the admin token that the pages expect in GW_ADMIN_TOKEN. */
async function createAdminToken({ admin_url: url, login }: Dev['ready']): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const signIn = await fetch(`${url}/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: login.name, password: login.password }),
  });
  const [cookie = ''] = signIn.headers.getSetCookie().map((one) => one.split(';')[0]);
  const session = await fetch(`${url}/session`, { headers: { cookie } });
  const { you } = z.object({ you: z.object({ id: z.int() }) }).parse(await session.json());
  const answer = await fetch(`${url}/admin/tokens`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: JSON.stringify({
      name: 'docs',
      principal_id: you.id,
      permissions: ['usage:read', 'key:create', 'config:write'],
    }),
  });
  return z.object({ token: z.string() }).parse(await answer.json()).token;
}

describe('the documentation', () => {
  let dev: Dev;
  let adminToken = '';
  before(async () => {
    dev = await startDev();
    adminToken = await createAdminToken(dev.ready);
  });
  after(() => dev.end());

  for (const page of pages.filter((name) => blocksOf(name).length > 0)) {
    it(`every shell block of ${page} works`, async (test) => {
      const { url } = await testDatabase(test);
      await using engine = await startEngine({ sequencesMax: 4, serviceMs: 1, model: 'qwen3-8b' });
      const script = blocksOf(page)
        .join('\n')
        .replaceAll('http://127.0.0.1:4000', dev.ready.gateway_url)
        .replaceAll('http://127.0.0.1:4001', dev.ready.admin_url)
        .replaceAll('http://127.0.0.1:8000/v1', engine.apiBase)
        .replaceAll('https://api.openai.com/v1', engine.apiBase)
        .replaceAll('--scan-ports 8000', `--scan-ports ${new URL(engine.apiBase).port}`)
        .replaceAll('curl ', 'curl --fail-with-body --silent --show-error ');
      const env = {
        ...process.env,
        PATH: `${path.join(import.meta.dirname, 'bin')}:${process.env['PATH']}`,
        OPENAI_API_KEY: 'sk-of-the-reader',
        GW_API_KEY: dev.ready.api_key,
        GW_ADMIN_TOKEN: adminToken,
        GW_ADMIN_PASSWORD: dev.ready.login.password,
        GW_DATABASE_URL: url,
      };
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: root, env });
      assert.notEqual(stdout, '');
    });
  }
});
