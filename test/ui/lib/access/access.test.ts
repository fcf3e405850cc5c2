// Tests the logic of the screens of keys, principals, roles, limits, MCP servers and settings.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { bearerState } from '../../../../ui/lib/access/bearer.ts';
import {
  capStateOf,
  nearerCap,
  readCount,
  readMoney,
  shareText,
  writeMoney,
} from '../../../../ui/lib/access/budget.ts';
import { adminCurl } from '../../../../ui/lib/saves/copy-as.ts';
import {
  blankKey,
  curlOf,
  environmentOf,
  gatewayAddress,
  keyBody,
} from '../../../../ui/lib/access/key-draft.ts';
import { budgetForm, limitsForm } from '../../../../ui/lib/access/limits-draft.ts';
import {
  effectivePermissions,
  invokable,
  resourceChoices,
} from '../../../../ui/lib/access/permissions.ts';
import {
  fromPrincipal,
  principalBody,
  principalChange,
} from '../../../../ui/lib/access/principal-draft.ts';
import { shownCredential } from '../../../../ui/lib/providers/credential-draft.ts';
import {
  blankRemote,
  fromRemote,
  remoteBody,
  remoteChange,
} from '../../../../ui/lib/providers/remote-draft.ts';
import { fromRole, roleChange } from '../../../../ui/lib/access/role-draft.ts';
import { settingText, supportBundle } from '../../../../ui/lib/text/settings.ts';
import { blankToken, carriableOf, tokenBody } from '../../../../ui/lib/access/token-draft.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

const stateAt = (expires_at: string | null, disabled = false) =>
  bearerState({ disabled, expires_at }, now);

it('a revoked key is revoked even if it has expired; one that expires within two weeks expires soon', () => {
  assert.equal(stateAt(null), 'active');
  assert.equal(stateAt('2027-11-21T12:00:00Z'), 'active');
  assert.equal(stateAt('2026-12-05T12:00:00Z'), 'expiring');
  assert.equal(stateAt('2026-11-21T12:00:00Z'), 'expired');
  assert.equal(stateAt('2026-11-20T12:00:00Z', true), 'revoked');
  assert.equal(bearerState({ revoked: true, expires_at: null }, now), 'revoked');
});

it('a key expires after days, at a time in the shown zone, or never', () => {
  const told = { now, zone: 'utc' } as const;
  const draft = { ...blankKey, name: ' ci ', principal_id: '7' };
  assert.deepEqual(keyBody({ ...draft, expiry: '30' }, told), {
    name: 'ci',
    principal_id: 7,
    expires_at: '2026-12-21T12:00:00.000Z',
  });
  const dated = { ...draft, expiry: 'date', expires_at: '2026-12-01T08:30' };
  assert.equal(keyBody(dated, told).expires_at, '2026-12-01T08:30:00.000Z');
  assert.equal(keyBody({ ...draft, expiry: 'never' }, told).expires_at, null);
  assert.equal(keyBody({ ...dated, expires_at: 'soon' }, told).expires_at, 'soon');
});

it('a token gets the chosen permissions that the principal has, and always expires', () => {
  const held = ['model:invoke', 'usage:read', 'config:write'].map((verb) => ({
    verb,
    resource: '*',
  }));
  assert.deepEqual(carriableOf(held), ['usage:read', 'config:write']);
  const told = { now, zone: 'utc', held } as const;
  const draft = { ...blankToken, name: ' ci ', principal_id: '7', expiry: '7' };
  const chosen = { ...draft, permissions: 'config:write\nkey:create' };
  assert.deepEqual(tokenBody(chosen, told), {
    body: {
      name: 'ci',
      principal_id: 7,
      permissions: ['config:write'],
      expires_at: '2026-11-28T12:00:00.000Z',
    },
  });
  for (const permissions of ['', 'key:create']) {
    const read = tokenBody({ ...draft, permissions }, told);
    assert.ok('wrong' in read && read.wrong.field === 'permissions');
  }
});

it('a quote in a name does not end the command', () => {
  const curl = curlOf({ base: 'http://gw:4000', key: 'gw-1', model: "it's" });
  assert.match(curl, /"model":"it'\\''s"/);
  assert.match(curl, /^curl http:\/\/gw:4000\/v1\/chat\/completions/);
  assert.match(environmentOf({ base: 'http://gw:4000', key: 'gw-1' }), /OPENAI_API_KEY='gw-1'/);
  const call = { origin: 'http://gw:4001', path: '/admin/keys', body: { name: "it's" } };
  assert.match(adminCurl(call), /-X POST http:\/\/gw:4001\/admin\/keys .*"it'\\''s"/);
});

it('shows the address of the gateway only if clients can reach it', () => {
  for (const [told, shown] of [
    ['http://127.0.0.1:39041', 'http://127.0.0.1:39041'],
    ['https://api.example/', 'https://api.example'],
    ['http://0.0.0.0:4000', null],
    ['http://[::]:4000', null],
    [null, null],
  ] as const) {
    assert.equal(gatewayAddress({ gateway_url: told }), shown, String(told));
  }
});

const roles = [
  { name: 'chat', permissions: [{ verb: 'model:invoke', resource: 'model/a' }] },
  {
    name: 'more',
    permissions: [
      { verb: 'model:invoke', resource: 'model/a' },
      { verb: 'usage:read', resource: '*' },
    ],
  },
];

it('a permission of two roles is listed once, with both roles', () => {
  assert.deepEqual(effectivePermissions(['chat', 'more'], roles), [
    { verb: 'model:invoke', resource: 'model/a', via: ['chat', 'more'] },
    { verb: 'usage:read', resource: '*', via: ['more'] },
  ]);
  assert.deepEqual(effectivePermissions([], roles), []);
});

const invokableOn = (...names: readonly string[]) =>
  invokable(names.map((name) => ({ verb: 'model:invoke', resource: `model/${name}` })));

it('describes the models that can be invoked', () => {
  assert.equal(invokableOn('a', '*'), 'every model');
  assert.equal(invokableOn('a', 'b'), 'a, b');
  assert.equal(invokableOn('a', 'b', 'c', 'd', 'e'), 'a, b, c and 2 more');
  assert.equal(invokable([{ verb: 'usage:read', resource: '*' }]), 'no model');
});

it('a resource is all of a kind or one name, listed once', () => {
  const values = resourceChoices('model/', ['b', 'a', 'b']).map(({ value }) => value);
  assert.deepEqual(values, ['model/*', 'model/a', 'model/b']);
});

const used50 = (tokens: number | null, money: number | null) => ({
  tokens_total: tokens,
  tokens_used: 50,
  cost_total_micros: money,
  cost_used_micros: 50,
});

it('the closest limit is the one with the highest usage; null without limits', () => {
  assert.deepEqual(nearerCap(used50(100, 1_000)), { cap: 'tokens', share: 0.5 });
  assert.deepEqual(nearerCap(used50(1_000, 60)), { cap: 'money', share: 50 / 60 });
  assert.equal(nearerCap(used50(null, null)), null);
  assert.deepEqual(
    [used50(50, null), used50(60, null), used50(500, null), used50(null, null), null].map(
      capStateOf,
    ),
    ['reached', 'near', 'below', 'none', 'none'],
  );
});

it('a limit that is almost reached is not shown as reached', () => {
  assert.deepEqual([0, 0.004, 0.5, 0.999, 1, 1.2].map(shareText), [
    '0 %',
    '< 1 %',
    '50 %',
    '99 %',
    'reached',
    'reached',
  ]);
});

it('money is read and written exactly, and an invalid amount does not mean unlimited', () => {
  for (const [text, micros] of [
    ['12.50', 12_500_000],
    ['0.000001', 1],
    ['$1,250', 1_250_000_000],
    ['', null],
    ['0', undefined],
    ['-1', undefined],
    ['1.2345678', undefined],
    ['many', undefined],
  ] as const) {
    assert.equal(readMoney(text), micros, text);
  }
  assert.deepEqual(
    [null, 12_500_000, 1, 250_000_000].map((micros) => readMoney(writeMoney(micros))),
    [null, 12_500_000, 1, 250_000_000],
  );
  assert.deepEqual(['1 000', '', '0', '1.5', 'x'].map(readCount), [
    1_000,
    null,
    undefined,
    undefined,
    undefined,
  ]);
});

it('an empty limit is sent as null, and an invalid one is not sent', () => {
  const limits = limitsForm.write({ requests_per_min: 60, tokens_per_min: null });
  assert.deepEqual(limitsForm.read({ ...limits, requests_per_min: '' }), {
    body: { requests_per_min: null, tokens_per_min: null },
  });
  const wrong = limitsForm.read({ ...limits, tokens_per_min: 'x' });
  assert.equal('wrong' in wrong ? wrong.wrong.field : '', 'tokens_per_min');
  const budget = budgetForm.write({
    window: 'week',
    time_zone: 'Europe/Zurich',
    tokens_total: 10,
    cost_total_micros: 5_000_000,
    alert_at_percent: [50, 80],
  });
  assert.deepEqual(budgetForm.read({ ...budget, tokens_total: '' }), {
    body: {
      window: 'week',
      time_zone: 'Europe/Zurich',
      tokens_total: null,
      cost_total_micros: 5_000_000,
      alert_at_percent: [50, 80],
    },
  });
  const wrongPercent = budgetForm.read({ ...budget, alert_at_percent: '50, 101' });
  assert.equal('wrong' in wrongPercent ? wrongPercent.wrong.field : '', 'alert_at_percent');
  const wrongMoney = budgetForm.read({ ...budget, cost_total_micros: '1e3' });
  assert.equal('wrong' in wrongMoney ? wrongMoney.wrong.field : '', 'cost_total_micros');
});

it('an untouched form sends nothing, and an emptied field is cleared', () => {
  const principal = { name: 'Ada', kind: 'user', email: 'ada@example.com' };
  assert.deepEqual(principalChange(fromPrincipal(principal), principal), {});
  assert.deepEqual(principalChange({ ...fromPrincipal(principal), email: '' }, principal), {
    email: null,
  });
  assert.deepEqual(principalBody({ name: 'ci ', kind: 'service_account', email: '' }), {
    name: 'ci',
    kind: 'service_account',
  });
  const role = { name: 'chat', description: 'May chat' };
  assert.deepEqual(roleChange(fromRole(role), role), {});
  assert.deepEqual(roleChange({ name: 'talk', description: ' ' }, role), {
    name: 'talk',
    description: null,
  });
});

const remote = {
  id: 1,
  version: 1,
  name: 'search',
  url: 'https://search.example/',
  description: null,
  auth_header: 'authorization',
  auth_scheme: 'Bearer',
  enabled: true,
  has_upstream_api_key: true,
};

it('the credential of a server is kept, set or cleared, and never shown', () => {
  const draft = fromRemote(remote, 'http');
  assert.deepEqual(remoteChange(draft, remote), {});
  assert.deepEqual(remoteChange({ ...draft, credential: 'clear' }, remote), {
    upstream_api_key: null,
  });
  const set = remoteChange({ ...draft, credential: 'set', upstream_api_key: 'sk-secret' }, remote);
  assert.deepEqual(shownCredential(set), { credential: 'new' });
  const moved = remoteChange({ ...draft, url: 'https://other.example/', enabled: false }, remote);
  assert.deepEqual(moved, {
    url: 'https://other.example/',
    enabled: false,
    keep_credential: true,
  });
  assert.equal('upstream_api_key' in remoteBody(blankRemote('http')), false);
});

const written = (value: string | number | boolean | null, more = {}) =>
  settingText({ value, unit: null, is_secret: false, is_set: value !== null, ...more });

it('a setting is shown with its unit, and a secret only as set or not set', () => {
  assert.equal(written(5, { unit: 'seconds' }), '5 seconds');
  assert.equal(written(67_108_864, { unit: 'bytes' }), '67,108,864 bytes');
  assert.equal(written(false), 'off');
  assert.equal(written(null), 'not set');
  assert.equal(written(null, { is_secret: true, is_set: true }), 'set, not shown');
  const bundle: unknown = JSON.parse(supportBundle({ health: { ok: true } }, new Date(now)));
  assert.deepEqual(bundle, { made_at: '2026-11-21T12:00:00.000Z', health: { ok: true } });
});
