// Tests how /admin/config shows the settings: each with its source, and no secret.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { settingFacts } from '../../src/cli/settings/setting-facts.ts';
import { readSettings, settingNames } from '../../src/cli/settings/settings.ts';

const env = {
  GW_DATABASE_URL: 'postgres://me:canary@db.example/gw',
  GW_ENCRYPTION_KEY: '0f'.repeat(32),
  GW_PROXY_TOKEN_FILE: 'token-file',
  GW_CONTROL_URL: 'https://me:canary@control.example',
  GW_EGRESS_DENY: '10.0.0.0/8, *.internal',
};

function facts() {
  const read = readSettings({
    flags: { adminPort: '0' },
    env,
    readFile: (path) => (path === 'token-file' ? 'canary-of-a-proxy-token' : ''),
  });
  assert.ok('settings' in read);
  return settingFacts(read.settings);
}
const fact = (name: string) => facts().find((one) => one.name === name);

it('lists every setting once', () =>
  assert.deepEqual(
    facts().map(({ name }) => name),
    settingNames(),
  ));

it('states the source of each setting', () => {
  assert.deepEqual(
    ['adminPort', 'egressDeny', 'proxyToken', 'port'].map((name) => [
      fact(name)?.source,
      fact(name)?.value,
    ]),
    [
      ['flag', 0],
      ['env', ['10.0.0.0/8', '*.internal']],
      ['file', null],
      ['default', 4000],
    ],
  );
});

it('states only whether a secret is set', () => {
  for (const name of ['databaseUrl', 'encryptionKey', 'proxyToken']) {
    assert.deepEqual(
      [fact(name)?.is_secret, fact(name)?.is_set, fact(name)?.value],
      [true, true, null],
    );
  }
  assert.equal(fact('masterKey')?.is_set, false);
  assert.doesNotMatch(JSON.stringify(facts()), /canary|0f0f/);
});

it('shows a URL without its user', () =>
  assert.equal(fact('controlUrl')?.value, 'https://control.example/'));
