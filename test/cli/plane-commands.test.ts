// Tests the commands that open the control plane themselves: exporting the configuration and
// rotating the encryption key.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { gw } from '../harness/program/command-line.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

const upstreamSecret = 'sk-upstream-of-the-test';
const source = `
model_list:
  - model_name: m
    litellm_params: { model: openai/q, api_base: http://e.example/v1, api_key: os.environ/UPSTREAM }
`;

function fileOf(t: TestContext, text: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'gw-plane-commands-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'gw.yaml');
  writeFileSync(file, text);
  return file;
}

const newKey = (): string => randomBytes(32).toString('hex');
const report = z.object({ key_id: z.string(), resealed: z.int(), unreadable: z.array(z.string()) });

/** Creates a database with one provider and its credential, sealed with `key`. */
async function seeded(t: TestContext, key: string): Promise<string> {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key, UPSTREAM: upstreamSecret };
  const imported = await gw(['import', '--config', fileOf(t, source)], { env });
  assert.equal(imported.code, 0, imported.stderr);
  return url;
}

it('config export prints a file that import accepts, without credentials', async (t) => {
  const key = newKey();
  const url = await seeded(t, key);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  const { code, stdout } = await gw(['config', 'export'], { env });
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /sk-upstream/);
  const [, variable = ''] = /os\.environ\/(PROVIDER_KEY_\w+)/.exec(stdout) ?? [];
  const back = { ...env, [variable]: upstreamSecret };
  const imported = await gw(['import', '--config', fileOf(t, stdout)], { env: back });
  assert.match(imported.stdout, /: 1 models, 0 keys; nothing to change, /, imported.stderr);
});

it('reencrypt-backends completes a rotation, so that the previous key is no longer needed', async (t) => {
  const [old, present] = [newKey(), newKey()];
  const url = await seeded(t, old);
  const both = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: present };
  const rotating = { ...both, GW_ENCRYPTION_KEY_PREVIOUS: old };
  const first = await gw(['reencrypt-backends', '--json'], { env: rotating });
  assert.equal(first.code, 0, first.stderr);
  const { resealed, unreadable } = report.parse(JSON.parse(first.stdout));
  assert.ok(resealed >= 1);
  assert.deepEqual(unreadable, []);
  const again = await gw(['reencrypt-backends', '--json'], { env: both });
  assert.deepEqual(
    [again.code, report.parse(JSON.parse(again.stdout)).resealed, again.stderr],
    [0, 0, ''],
  );
});

it('refuses to open a control plane with a wrong encryption key', async (t) => {
  const url = await seeded(t, newKey());
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: newKey() };
  const { code, stderr } = await gw(['reencrypt-backends'], { env });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /GW_ENCRYPTION_KEY is key [0-9a-f]{8}, but .* was encrypted with key [0-9a-f]{8}/,
  );
});

it('names the settings that a command needs to open the control plane', async () => {
  const [database, key] = [
    await gw(['config', 'export']),
    await gw(['reencrypt-backends', '--database-url', 'postgres://x']),
  ];
  assert.deepEqual(
    [database.code, database.stderr.trim()],
    [2, 'gw: config export needs --database-url'],
  );
  assert.deepEqual(
    [key.code, key.stderr.trim()],
    [2, 'gw: reencrypt-backends needs GW_ENCRYPTION_KEY'],
  );
});
