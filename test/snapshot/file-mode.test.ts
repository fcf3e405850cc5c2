// Tests that a configuration file becomes the snapshot of the specification, or an error that names
// the field.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import { isRefusal } from '../../src/lib/refusal.ts';
import { compileSnapshot } from '../../src/snapshot/compile.ts';
import { mayInvoke } from '../../src/snapshot/compile/callers.ts';
import { asTheFileSays } from '../../src/snapshot/file-mode.ts';
import { issueText } from '../../src/snapshot/file/source.ts';
import type { Environment } from '../../src/snapshot/file/source.ts';
import { checkText, fileOfText } from '../harness/gateway/config-file.ts';

function read(source: string, environment: Environment = {}) {
  const result = fileOfText(source, environment);
  const compiled = compileSnapshot(result.snapshot);
  assert.ok(!isRefusal(compiled));
  return { ...result, compiled };
}

function refusal(source: string, environment: Environment = {}): string {
  const { file, errors } = checkText(source, environment);
  assert.equal(file, null);
  return errors.map(issueText).join('\n');
}

const models = `
model_list:
  - model_name: small
    litellm_params: { model: openai/qwen-7b, api_base: http://one:8000/v1/, api_key: not-needed }
  - model_name: small
    litellm_params: { model: hosted_vllm/qwen-7b, api_base: http://two:8000/v1, api_key: k2 }
  - model_name: large
    litellm_params: { model: openai//models/big, api_base: http://one:8000/v1, api_key: null }
    model_info: { mode: chat }
litellm_settings: { drop_params: true }
`;

describe('a configuration file', () => {
  it('makes one model of entries that share a name', () => {
    const { compiled } = read(models);
    assert.deepEqual([...compiled.models.keys()], ['small', 'large']);
    assert.deepEqual(
      compiled.models.get('small')?.backends.map(({ apiBase }) => apiBase),
      ['http://one:8000/v1', 'http://two:8000/v1'],
    );
  });

  it('strips one transport prefix and takes a placeholder key for none', () => {
    const { compiled } = read(models);
    const [first, second] = compiled.models.get('small')?.backends ?? [];
    assert.equal(first?.upstreamModel, 'qwen-7b');
    assert.deepEqual(first?.credentialHeaders, []);
    assert.deepEqual(second?.credentialHeaders, ['authorization', 'Bearer k2']);
    assert.equal(compiled.models.get('large')?.backends[0]?.upstreamModel, '/models/big');
  });

  it('refuses to serve everyone when the file asks for authentication that gw does not do', () => {
    for (const setting of [
      'custom_auth: my.module',
      'enable_jwt_auth: true',
      'enable_oauth2_auth: true',
      'allow_user_auth: true',
    ]) {
      const file = `${models}\ngeneral_settings: { ${setting} }`;
      const name = setting.split(':')[0];
      assert.match(refusal(file), new RegExp(`general_settings.${name}.*has no key.*--open`));
      const forced = fileOfText(file, {}, { ...asTheFileSays, open: true });
      assert.ok(forced.snapshot.config.settings.open, setting);
      const keyed = read(`${models}\ngeneral_settings: { ${setting}, master_key: sk-1 }`);
      assert.equal(keyed.snapshot.config.settings.open, false, 'holders of a key are served');
    }
    const off = read(`${models}\ngeneral_settings: { enable_jwt_auth: false }`);
    assert.equal(off.snapshot.config.settings.open, true, 'what is switched off asks for nothing');
  });

  it('refuses a list of allowed addresses, with keys as well', () => {
    const file = `${models}\ngeneral_settings: { allowed_ips: ["10.9.9.9"], master_key: sk-1 }`;
    assert.match(refusal(file), /general_settings.allowed_ips.*in front of gw/);
  });

  it('takes LITELLM_MASTER_KEY of the environment where the file has no master key', () => {
    const { compiled } = read(models, { LITELLM_MASTER_KEY: 'sk-from-the-environment' });
    assert.equal(compiled.openCaller, null);
    assert.equal(compiled.callers.size, 1);
  });

  it('is open without auth and without a master key', () => {
    assert.equal(read(models).compiled.openCaller?.principalId, null);
    assert.equal(read(`${models}auth: { keys: [] }`).compiled.openCaller, null);
    const master = read(`${models}general_settings: { master_key: m }`).compiled;
    assert.equal(master.openCaller, null);
    assert.equal(master.callers.get(hash('sha256', 'm'))?.grants.all, true);
  });

  it('grants what the models of a key name, and nothing when there are none', () => {
    const { compiled } = read(`${models}
auth:
  keys:
    - { key: a, name: alice, models: [small], expires_at: "2030-01-01T00:00:00Z" }
    - { key: b, models: ["la*"] }
    - { key: c }
`);
    const reach = (key: string) => {
      const caller = compiled.callers.get(hash('sha256', key));
      assert.ok(caller !== undefined);
      return [...compiled.models.values()].filter((model) => mayInvoke(caller, model)).length;
    };
    assert.equal(compiled.callers.get(hash('sha256', 'a'))?.expiresAtMs, Date.UTC(2030, 0));
    assert.deepEqual(['a', 'b', 'c'].map(reach), [1, 1, 0]);
  });

  it('admits no one when its auth block is empty', () => {
    const { compiled } = read(`${models}auth:\n`);
    assert.equal(compiled.openCaller, null);
    assert.equal(compiled.callers.size, 0);
  });

  it('does not ask for a variable that only other readers of the file need', () => {
    const other = 'general_settings: { database_url: os.environ/DATABASE_URL }\n';
    assert.notEqual(read(models + other).compiled.openCaller, null);
  });

  it('resolves os.environ references anywhere and names one that is not set', () => {
    const source = models.replace('api_key: k2', 'api_key: os.environ/UPSTREAM_KEY');
    const { compiled } = read(source, { UPSTREAM_KEY: 'from-env' });
    assert.deepEqual(compiled.models.get('small')?.backends[1]?.credentialHeaders, [
      'authorization',
      'Bearer from-env',
    ]);
    assert.match(refusal(source), /UPSTREAM_KEY is not set/);
  });

  it('fills in the key header of a native protocol under both of its names', () => {
    for (const name of ['anthropic', 'native_a']) {
      const source = models.replace('api_key: k2', `api_key: k2, protocol: ${name}`);
      const backend = read(source).compiled.models.get('small')?.backends[1];
      assert.equal(backend?.protocol, 'anthropic');
      assert.deepEqual(backend?.credentialHeaders, ['x-api-key', 'k2']);
    }
  });

  it('sends the credential raw when the scheme is empty', () => {
    const source = models.replace(
      'api_key: k2',
      'api_key: k2, auth_header: Api-Key, auth_scheme: ""',
    );
    assert.deepEqual(read(source).compiled.models.get('small')?.backends[1]?.credentialHeaders, [
      'api-key',
      'k2',
    ]);
  });

  it('names the field that is wrong', () => {
    assert.match(refusal('model_list: []'), /^model_list:/);
    assert.match(refusal('a: ['), /not valid YAML/);
    assert.match(
      refusal(models.replace('api_base: http://two:8000/v1, ', '')),
      /^model_list\[1\]\.litellm_params\.api_base: is required: .* \(line 6\)$/,
    );
    assert.match(
      refusal(`${models}auth: { keys: [{ key: a, expires_at: tomorrow }] }`),
      /^auth\.keys\[0\]\.expires_at/,
    );
    assert.match(refusal(models.replace('api_key: k2', 'protocol: smtp')), /protocol/);
  });

  it('gives equal files equal versions and other files other versions', () => {
    const version = read(models).snapshot.version;
    assert.equal(read(models).snapshot.version, version);
    assert.notEqual(read(`${models}\n`).snapshot.version, version);
    assert.ok(Number.isSafeInteger(version));
  });
});
