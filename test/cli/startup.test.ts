// Tests what each role requires before it starts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings } from '../../src/cli/settings/settings.ts';
import type { Settings, SettingsInput } from '../../src/cli/settings/settings.ts';
import { startupRefusals, startupWarnings } from '../../src/cli/startup.ts';

const encryptionKey = 'ab'.repeat(32);
const database = 'postgres://gw@localhost/gw';
const token = 'a token of enough characters';
const env = { GW_ENCRYPTION_KEY: encryptionKey };

function settings(flags: SettingsInput['flags'], variables: SettingsInput['env'] = env): Settings {
  const answer = readSettings({ flags, env: variables, readFile: () => '' });
  assert.ok('settings' in answer, JSON.stringify(answer));
  return answer.settings;
}

const params = (given: Settings): readonly (string | null)[] =>
  startupRefusals(given).map(({ param }) => param);

for (const role of ['control', 'all']) {
  test(`role ${role} needs a database and an encryption key`, () => {
    assert.deepEqual(params(settings({ role }, {})), ['databaseUrl', 'encryptionKey']);
    assert.deepEqual(params(settings({ role, databaseUrl: database })), []);
  });
}

test('says how to create a missing encryption key', () => {
  const [refusal] = startupRefusals(settings({ role: 'all', databaseUrl: database }, {}));
  assert.match(refusal?.message ?? '', /openssl rand -hex 32/);
});

test('role proxy needs a control plane and its token, or a file', () => {
  const controlUrl = 'https://control.example';
  assert.deepEqual(params(settings({}, {})), ['controlUrl']);
  assert.deepEqual(params(settings({ controlUrl }, {})), ['proxyToken']);
  assert.deepEqual(params(settings({ controlUrl, proxyToken: token }, {})), []);
  assert.deepEqual(params(settings({ config: 'gw.yaml' }, {})), []);
});

test('role proxy never follows a control plane and a file at once', () => {
  const both = settings({ config: 'gw.yaml', controlUrl: 'http://c', proxyToken: token }, {});
  assert.deepEqual(params(both), ['config']);
});

test('one TLS file of two is refused and the missing one is named', () => {
  const base = { role: 'all', databaseUrl: database };
  assert.deepEqual(params(settings({ ...base, tlsCert: 'a.pem' })), ['tlsKey']);
  assert.deepEqual(params(settings({ ...base, tlsKey: 'a.key' })), ['tlsCert']);
  assert.deepEqual(params(settings({ ...base, tlsKey: 'a.key', tlsCert: 'a.pem' })), []);
});

test('the gateway and the admin API never share an address', () => {
  const base = { role: 'all', databaseUrl: database };
  assert.deepEqual(params(settings({ ...base, port: '4000', adminPort: '4000' })), ['adminPort']);
  assert.deepEqual(params(settings({ ...base, port: '0', adminPort: '0' })), []);
});

test('a proxy token that could be guessed is refused, and not repeated', () => {
  const [refusal] = startupRefusals(settings({ controlUrl: 'http://c', proxyToken: 'hunter2' }));
  assert.equal(refusal?.param, 'proxyToken');
  assert.match(refusal?.message ?? '', /at least 16 characters, had 7$/);
});

test('warns of a secret in the arguments, not in the environment', () => {
  const flags = { role: 'all', databaseUrl: database, proxyToken: token };
  const visible = 'is visible to every user of this machine; use';
  assert.deepEqual(startupWarnings(settings(flags)), [
    `--database-url ${visible} GW_DATABASE_URL or GW_DATABASE_URL_FILE`,
    `--proxy-token ${visible} GW_PROXY_TOKEN or GW_PROXY_TOKEN_FILE`,
  ]);
  const variables = { ...env, GW_DATABASE_URL: database, GW_PROXY_TOKEN: token };
  assert.deepEqual(startupWarnings(settings({ role: 'all' }, variables)), []);
});

test('allows several workers only for role proxy, and File mode explains their effect on limits', () => {
  const all = { role: 'all', databaseUrl: database };
  assert.deepEqual(params(settings({ ...all, workers: '2' })), ['workers']);
  assert.deepEqual(params(settings({ ...all, workers: '1' })), []);
  const file = settings({ config: 'gw.yaml', workers: '2' });
  assert.deepEqual(params(file), []);
  assert.ok(startupWarnings(file).some((warning) => warning.startsWith('--workers 2')));
});

test('warns of a webhook or a webhook secret that has no effect', () => {
  const webhookUrl = 'https://hooks.example/a';
  const variables = { ...env, GW_DATABASE_URL: database };
  const file = { config: 'gw.yaml' };
  assert.match(
    startupWarnings(settings({ ...file, webhookUrl }, {})).join(),
    /--webhook-url has no effect/,
  );
  const secret = settings({ role: 'all', webhookSecret: 'geheim' }, variables);
  assert.match(startupWarnings(secret).join(), /--webhook-secret has no effect/);
  const webhook = { GW_WEBHOOK_URL: webhookUrl, GW_WEBHOOK_SECRET: 'geheim' };
  const both = settings({ role: 'all' }, { ...variables, ...webhook });
  assert.deepEqual(startupWarnings(both), []);
});
