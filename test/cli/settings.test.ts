// Tests the precedence of sources of a setting, and the errors for invalid values.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';

import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import { readSettings, settingNames } from '../../src/cli/settings/settings.ts';
import type { Settings, SettingsInput } from '../../src/cli/settings/settings.ts';

const files: Readonly<Record<string, string>> = { '/run/token': 'a-token-of-the-file\n' };

function readFile(path: string): string {
  const text = files[path];
  if (text === undefined) throw Object.assign(new Error('absent'), { code: 'ENOENT' });
  return text;
}

function read(input: Partial<SettingsInput>): Settings {
  const answer = readSettings({ flags: {}, env: {}, readFile, ...input });
  assert.ok('settings' in answer, JSON.stringify(answer));
  return answer.settings;
}

function refused(input: Partial<SettingsInput>): readonly string[] {
  const answer = readSettings({ flags: {}, env: {}, readFile, ...input });
  assert.ok('refusals' in answer);
  return answer.refusals.map((refusal) => refusal.message);
}

function warned(env: SettingsInput['env']): readonly string[] {
  const answer = readSettings({ flags: {}, env, readFile });
  assert.ok('warnings' in answer);
  return answer.warnings;
}

test('uses and reports the default of every setting without flags and environment', () => {
  const settings = read({});
  assert.equal(settings.role, 'proxy');
  assert.equal(settings.port, 4000);
  assert.equal(settings.adminPort, 4001);
  assert.equal(settings.host, '127.0.0.1');
  assert.equal(settings.snapshotCache, '/var/lib/gw/snapshot.json');
  assert.equal(settings.shutdownGrace, 25);
  assert.deepEqual(settings.egressDeny, []);
  assert.deepEqual(new Set(Object.values(settings.sources)), new Set(['default']));
});

test('a flag wins over the environment, and the environment over the default', () => {
  const settings = read({
    flags: { port: '5000' },
    env: { GW_PORT: '6000', GW_ADMIN_PORT: '6001' },
  });
  assert.equal(settings.port, 5000);
  assert.equal(settings.sources.port, 'flag');
  assert.equal(settings.adminPort, 6001);
  assert.equal(settings.sources.adminPort, 'env');
});

test('turns a switch on by its flag alone, or by true or false', () => {
  assert.equal(read({}).strictKeyMint, false);
  assert.equal(read({ flags: { strictKeyMint: 'true' } }).strictKeyMint, true);
  const env = { GW_STRICT_KEY_MINT: 'true' };
  assert.equal(read({ env }).strictKeyMint, true);
  assert.equal(read({ env, flags: { strictKeyMint: 'false' } }).strictKeyMint, false);
  assert.deepEqual(refused({ env: { GW_STRICT_KEY_MINT: 'yes' } }), [
    'GW_STRICT_KEY_MINT must be true or false, was "yes"',
  ]);
});

test('reads "cores" as the number of CPUs that the process may use', () => {
  assert.equal(read({ flags: { workers: 'cores' } }).workers, availableParallelism());
  assert.match(refused({ flags: { workers: '0' } })[0] ?? '', /--workers must be .* was "0"/);
});

test('ignores an empty variable', () => {
  assert.equal(read({ env: { GW_PORT: '' } }).sources.port, 'default');
});

test('reads a secret from the file named by its _FILE variable, without the last line break', () => {
  const settings = read({ env: { GW_PROXY_TOKEN_FILE: '/run/token' } });
  assert.equal(settings.proxyToken, 'a-token-of-the-file');
  assert.equal(settings.sources.proxyToken, 'file');
});

test('a secret given both ways is refused', () => {
  assert.deepEqual(refused({ env: { GW_PROXY_TOKEN: 'x', GW_PROXY_TOKEN_FILE: '/run/token' } }), [
    'GW_PROXY_TOKEN and GW_PROXY_TOKEN_FILE are both set',
  ]);
});

test('names a secret file that cannot be read, and why', () => {
  assert.deepEqual(refused({ env: { GW_MASTER_KEY_FILE: '/run/none' } }), [
    'GW_MASTER_KEY_FILE names /run/none, which cannot be read (ENOENT)',
  ]);
});

test('does not read a non-secret setting from a file', () => {
  assert.deepEqual(warned({ GW_PORT_FILE: '/run/token' }), [
    'GW_PORT_FILE is not a setting of this program',
  ]);
});

test('a refusal names the field as it was given, and its value', () => {
  assert.deepEqual(refused({ flags: { port: '99999' }, env: { GW_LOG_FORMAT: 'xml' } }), [
    '--port must be a whole number from 0 to 65535, was "99999"',
    'GW_LOG_FORMAT must be one of text, json, was "xml"',
  ]);
});

test('a refusal never repeats a secret', () => {
  const messages = refused({
    flags: { databaseUrl: 'mysql://root:hunter2@db/gw' },
    env: { GW_ENCRYPTION_KEY: 'hunter2' },
  });
  assert.equal(messages.length, 2);
  for (const message of messages) assert.doesNotMatch(message, /hunter2/);
});

test('a list is read by comma', () => {
  const { egressAllow } = read({ flags: { egressAllow: '10.0.0.0/8, *.example.com,' } });
  assert.deepEqual(egressAllow, ['10.0.0.0/8', '*.example.com']);
  assert.match(
    refused({ flags: { egressDeny: '10.0.0.0/33' } })[0] ?? '',
    /^--egress-deny must be addresses, CIDR blocks/,
  );
});

test('a control address loses its trailing slash', () => {
  const { controlUrl } = read({ flags: { controlUrl: 'https://control.example/' } });
  assert.equal(controlUrl, 'https://control.example');
});

test('an unknown GW_ variable is warned of with the nearest name', () => {
  assert.deepEqual(warned({ GW_DATABSE_URL: 'x', HOME: '/root' }), [
    'GW_DATABSE_URL is not a setting of this program; did you mean GW_DATABASE_URL?',
  ]);
  assert.deepEqual(warned({ GW_ENTIRELY_DIFFERENT_THING: 'x' }), [
    'GW_ENTIRELY_DIFFERENT_THING is not a setting of this program',
  ]);
});

test('ignores the variables that Kubernetes sets for a Service named gw', () => {
  const env = {
    GW_PORT: 'tcp://10.0.0.1:4000',
    GW_SERVICE_HOST: '10.0.0.1',
    GW_PORT_4000_TCP: 'tcp://10.0.0.1:4000',
    GW_PORT_4000_TCP_PORT: '4000',
  };
  assert.equal(read({ env }).port, 4000);
  assert.deepEqual(warned(env), []);
});

test('no two settings share a flag or a variable, and help shows no secret', () => {
  const settings = settingNames().map((name) => settingsTable[name]);
  const flags = settings.flatMap(({ flag }) => flag?.split(',') ?? []);
  assert.equal(new Set(flags).size, flags.length);
  assert.equal(new Set(settings.map(({ variable }) => variable)).size, settings.length);
  for (const { secret, fallback } of settings) if (secret) assert.equal(fallback, null);
});

test('refuses several servers in the address of the standby', () => {
  for (const databaseReadUrl of [
    'postgres://gw:secret@a:5432,b:5432/gw',
    'postgres://a,b/gw',
    'postgresql:///gw?host=a,b',
    'postgres:///gw?x=1&host=a%2Cb',
  ]) {
    const [message = ''] = refused({ flags: { databaseReadUrl } });
    assert.match(message, /^--database-read-url must name one server/);
    assert.doesNotMatch(message, /secret/);
  }
  for (const databaseReadUrl of ['postgres://gw:a@b/gw?options=-cx%3Da,b', 'postgres://gw@a/b,c']) {
    assert.equal(read({ flags: { databaseReadUrl } }).databaseReadUrl, databaseReadUrl);
  }
});
