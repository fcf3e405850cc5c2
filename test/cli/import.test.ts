// Tests the output of `gw import` and `gw config check`.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { testDatabase } from '../harness/postgres/postgres.ts';

const program = path.join(import.meta.dirname, '../../src/main.ts');
const limitMs = 30_000;

type Ended = Readonly<{ code: number; stdout: string; stderr: string }>;

/** Runs gw without the caller's GW_* variables. */
function gw(parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GW_'));
  const options = { env: { ...Object.fromEntries(own), ...env }, timeout: limitMs };
  execFile(process.execPath, [program, ...parameters], options, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
    resolve({ code, stdout, stderr });
  });
  return promise;
}

function fileOf(t: TestContext, text: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'gw-import-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'gw.yaml');
  writeFileSync(file, text);
  return file;
}

const key = 'a-key-that-is-shown-to-nobody';
const source = `
model_list:
  - model_name: m
    litellm_params: { model: openai/q, api_base: http://e/v1, api_key: os.environ/UPSTREAM, rpm: 6 }
auth: { keys: [{ key: ${key}, name: team, models: [m] }] }
`;

test('import seeds a database, then has nothing to change, and never prints a key', async (t) => {
  const { url } = await testDatabase(t);
  const file = fileOf(t, source);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: 'ab'.repeat(32), UPSTREAM: 'sk-upstream' };
  const dry = await gw(['import', '--config', file, '--dry-run'], env);
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^ProviderCreated provider e\n/);
  const first = await gw(['import', '--config', file], env);
  assert.match(first.stdout, /: 1 models, 1 keys; \d+ changes made, snapshot version \d+\n$/);
  assert.match(first.stderr, /rpm: is ignored: .* \(.*gw\.yaml line 4\)/);
  const second = await gw(['import', '--config', file, '--json'], env);
  assert.match(second.stdout, /"changes":\[\]/);
  for (const { stdout, stderr } of [dry, first, second]) {
    assert.doesNotMatch(stdout + stderr, /shown-to-nobody|sk-upstream/);
  }
});

test('import names what it needs, and reports each fault of a file with its line', async (t) => {
  const needs = await gw(['import', '--config', 'x', '--database-url', 'postgres://x']);
  assert.deepEqual([needs.code, needs.stderr.trim()], [2, 'gw: import needs GW_ENCRYPTION_KEY']);
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: 'ab'.repeat(32), UPSTREAM: 'u' };
  const wrong = source
    .replace('model_name: m', "model_name: '*'")
    .replace('name: team', 'name: []');
  const { code, stderr } = await gw(['import', '--config', fileOf(t, wrong)], env);
  assert.equal(code, 2);
  assert.match(stderr, /auth\.keys\[0\]\.name: .* line 5\)/);
});

test('config check lists errors and unsupported parts, and exits with 1 for errors', async (t) => {
  const env = { UPSTREAM: 'u' };
  const good = await gw(['config', 'check', '--config', fileOf(t, source)], env);
  assert.equal(good.code, 0, good.stderr);
  assert.match(
    good.stdout,
    /^warning: model_list\[0\]\.litellm_params\.rpm: .*gw\.yaml line 4\)\n/,
  );
  assert.match(good.stdout, /0 errors, 1 warnings\n$/);
  const bad = await gw(['config', 'check', '--config', fileOf(t, source)]);
  assert.equal(bad.code, 1);
  assert.match(
    bad.stdout,
    /^error: .*api_key: environment variable UPSTREAM is not set \(.*gw\.yaml line 4\)/,
  );
  const gone = await gw(['config', 'check', '--config', '/nowhere/gw.yaml']);
  assert.deepEqual(
    [gone.code, gone.stderr.trim()],
    [5, 'gw: /nowhere/gw.yaml cannot be read (ENOENT)'],
  );
});

test('files that a file includes are checked and imported, without what is not supported', async (t) => {
  const { url } = await testDatabase(t);
  const file = fileOf(t, `include: [more.yaml]\n${source}`);
  const more = path.join(path.dirname(file), 'more.yaml');
  writeFileSync(
    more,
    `model_list:
  - { model_name: second, litellm_params: { model: openai/r, api_base: http://f/v1 } }
  - { model_name: cloud, litellm_params: { model: azure/r } }
`,
  );
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: 'ab'.repeat(32), UPSTREAM: 'u' };
  const refused = await gw(['import', '--config', file], env);
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /^gw: model_list\[1\]\.litellm_params\.model: .*more\.yaml line 3\)\n$/,
  );
  const made = await gw(['import', '--config', file, '--skip-unsupported'], env);
  assert.match(made.stdout, /: 2 models, 1 keys; /);
  assert.match(made.stderr, /model: this entry is skipped: .*more\.yaml line 3\)/);
  const checked = await gw(['config', 'check', '--config', file], {
    ...env,
    GW_SKIP_UNSUPPORTED: 'true',
  });
  assert.equal(checked.code, 0, checked.stdout);
});
