// Tests that a copied change has the same effect: a shell runs the call, the program reads the
// file, and neither contains a secret.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';

import { readDocument } from '../../../../src/snapshot/file/document.ts';
import { readSource } from '../../../../src/snapshot/file/source.ts';
import { curlCommand, gwCommand, sessionNote, yamlOf } from '../../../../ui/lib/saves/copy-as.ts';

/**
 * The arguments that a shell passes to the command. `curl` is replaced by a program that prints
 * them.
 */
function argumentsOf(command: string): readonly string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`;
  const env = { PATH: process.env['PATH'], GW_SESSION: 's-1', UPSTREAM_API_KEY: 'sk "1"' };
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1);
}

const origin = 'https://gw.example:4001';

describe('a call that is copied', () => {
  it('contains the request, its version and its reason, with any quotes in them', () => {
    const body = { name: `it's "new"`, description: null };
    const command = curlCommand(
      { method: 'PATCH', path: '/admin/roles/a%20b', body, version: 7, reason: `it's so` },
      origin,
    );
    const given = argumentsOf(command);
    assert.deepEqual(given.slice(0, 5), [
      '-X',
      'PATCH',
      `${origin}/admin/roles/a%20b`,
      '-b',
      'gw_session=s-1',
    ]);
    assert.ok(given.includes('if-match: "7"'));
    assert.ok(given.includes(`x-gw-reason: it's so`));
    assert.deepEqual(JSON.parse(given.at(-1) ?? ''), body);
  });

  it('contains no secret, but a shell variable', () => {
    const body = { name: 'Engine', upstream_api_key: 'sk-secret' };
    const command = curlCommand({ method: 'POST', path: '/admin/providers', body }, origin);
    assert.ok(!command.includes('sk-secret'));
    assert.match(command, /"\$UPSTREAM_API_KEY"/);
  });

  it('explains how to obtain the session, and remains a valid call', () => {
    const note = sessionNote(origin);
    const call = curlCommand({ method: 'DELETE', path: '/admin/keys/7' }, origin);
    assert.deepEqual(argumentsOf(note + call), argumentsOf(call));
    const login = note.replace(/^.*\n# /, '');
    const jar = String.raw`curl() { printf '#HttpOnly_h\tFALSE\t/\tTRUE\t0\tgw_session\ts-9\n'; }`;
    const script = `${jar}\n${login}\necho "$GW_SESSION"`;
    assert.equal(execFileSync('sh', ['-c', script], { encoding: 'utf8' }), 's-9\n');
  });

  it('has no body if the request has none', () => {
    const command = curlCommand({ method: 'DELETE', path: '/admin/keys/7', version: 2 }, origin);
    assert.ok(!command.includes('-d '));
  });
});

const reading = (text: string) =>
  readDocument(readSource(text, {}), { environment: {}, masterKey: null, mayLackModels: true });

describe('a record that is copied as YAML', () => {
  for (const { path, body } of [
    { path: '/admin/roles', body: { name: 'readers', description: 'May: read' } },
    { path: '/admin/principals', body: { name: 'nightly', kind: 'service_account' } },
    {
      path: '/admin/provider-models',
      body: { name: 'small', description: null, context_length: 8192 },
    },
    { path: '/admin/model-pools', body: { name: 'pair', policy: 'round-robin', members: [] } },
    { path: '/admin/frontend-models', body: { name: 'chat', max_model_len: 8192 } },
    { path: '/admin/prompt-classes', body: { name: 'code', tier: 'fast', min_margin: 0.1 } },
  ]) {
    it(`is read by the program: ${path}`, () => {
      const yaml = yamlOf({ method: 'POST', path, body }) ?? '';
      const { document, errors } = reading(yaml);
      assert.deepEqual(errors, []);
      assert.ok(JSON.stringify(document).includes(body.name));
      const command = gwCommand({ method: 'POST', path, body }) ?? '';
      assert.ok(command.includes(yaml) && command.endsWith('gw import --config change.yaml'));
    });
  }

  it('is not offered if a file cannot express the change', () => {
    const user = { name: 'ada', kind: 'user', email: 'ada@example.com' };
    assert.equal(yamlOf({ method: 'POST', path: '/admin/principals', body: user }), null);
    assert.equal(yamlOf({ method: 'PATCH', path: '/admin/roles/a', body: { name: 'b' } }), null);
    assert.equal(yamlOf({ method: 'POST', path: '/admin/keys', body: { name: 'k' } }), null);
    assert.equal(gwCommand({ method: 'POST', path: '/admin/keys', body: { name: 'k' } }), null);
  });
});
