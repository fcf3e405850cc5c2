// Tests which settings of single sign-on require each other, and which values are refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings } from '../../../../src/cli/settings/settings.ts';
import type { Settings } from '../../../../src/cli/settings/settings.ts';
import { startupRefusals } from '../../../../src/cli/startup.ts';
import { signOnOptions } from '../../settings.ts';

type Flags = Readonly<Record<string, string>>;

const env = { GW_ENCRYPTION_KEY: 'ab'.repeat(32) };
const database = 'postgres://gw@localhost/gw';

function settings(flags: Flags): Settings {
  const answer = readSettings({ flags, env, readFile: () => '' });
  assert.ok('settings' in answer, JSON.stringify(answer));
  return answer.settings;
}

const params = (given: Settings): readonly (string | null)[] =>
  startupRefusals(given).map(({ param }) => param);

test('single sign-on needs an issuer and a client, and each setting of it is read strictly', () => {
  const base = { role: 'all', databaseUrl: database };
  const oidcIssuer = 'https://id.example/realms/a';
  const oidcClientId = 'gw';
  assert.deepEqual(params(settings({ ...base, oidcIssuer })), ['oidcClientId']);
  assert.deepEqual(params(settings({ ...base, oidcClientId, oidcLabel: 'Acme' })), [
    'oidcClientId',
    'oidcLabel',
  ]);
  assert.deepEqual(params(settings({ ...base, oidcIssuer, oidcClientId })), []);
  const wrong: Flags[] = [
    { oidcIssuer: 'http://id.example' },
    { oidcIssuer: 'https://id.example?tenant=a' },
    { oidcIssuer: 'https://me:pass@id.example' },
    { oidcGroupRoles: '{"a":1}' },
    { oidcGroupRoles: 'a=b' },
    { oidcPublicUrl: 'https://ops.example/gw?a=b' },
    { oidcPublicUrl: 'https://me:pass@ops.example' },
    { oidcScopes: 'email profile' },
    { oidcFirstLogin: 'maybe' },
  ];
  for (const flags of wrong) {
    const read = readSettings({ flags, env, readFile: () => '' });
    assert.ok('refusals' in read, JSON.stringify(flags));
    assert.deepEqual([read.refusals.length, read.refusals[0]?.param], [1, Object.keys(flags)[0]]);
  }
  const local = settings({ oidcIssuer: 'http://127.0.0.1:8080', oidcClientId });
  assert.equal(signOnOptions(local)?.issuer, 'http://127.0.0.1:8080');
});
