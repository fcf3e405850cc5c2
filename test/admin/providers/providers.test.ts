// Tests providers over HTTP: they are contacted before they are stored (specification, "Provider
// creation rules").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { providerCatalogue } from '../../../src/snapshot/provider-catalogue.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { privateKey, rejection, tokenServer } from '../../harness/upstream/token-server.ts';

const noLease = { node: null, engine: null, ttl_seconds: null, lease_expires_at: null };
const unswept = { last_seen_at: null, degraded_since: null, degraded_reason: null };

/** The list record of an entity with one event. */

describe('creating a provider', () => {
  it('stores one that responds, and never returns its credential', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const upstream = await listedProvider(t, { key: 'upstream-secret' });
    const made = await send('POST', '/admin/providers', {
      name: 'engine',
      api_base: `${upstream.apiBase}/`,
      upstream_api_key: 'upstream-secret',
    });
    assert.deepEqual(made.body, {
      id: 1,
      name: 'engine',
      kind: 'static',
      catalogue_key: null,
      api_base: upstream.apiBase,
      protocol: 'openai',
      auth_header: 'authorization',
      auth_scheme: 'Bearer',
      credential_kind: 'static',
      has_upstream_api_key: true,
      model_count: 0,
      ...noLease,
      ...unswept,
      version: 1,
    });
    assert.deepEqual((await send('GET', '/admin/providers')).body, [made.body]);
    const secrets = Object.values(plane.publisher.current()?.snapshot.secrets ?? {});
    assert.ok(secrets.includes('upstream-secret'));
  });

  it('stores nothing of one that does not respond', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t, { key: 'upstream-secret' });
    const cases = [
      [{ api_base: apiBase, upstream_api_key: 'wrong' }, 'upstream_api_key'],
      [{ api_base: apiBase }, 'upstream_api_key'],
      [
        { api_base: apiBase.replace('/v1', '/v2'), upstream_api_key: 'upstream-secret' },
        'api_base',
      ],
      [{ api_base: 'http://127.0.0.1:1' }, 'api_base'],
      [{ api_base: 'http://169.254.169.254/v1' }, 'api_base'],
      [{ api_base: 'http://[::ffff:a9fe:a9fe]/v1' }, 'api_base'],
      [{ api_base: 'ftp://a.example' }, 'api_base'],
      [{ api_base: 'not a url' }, 'api_base'],
      [{ api_base: 'http://user:word@a.example' }, 'api_base'],
      [{ api_base: `${apiBase}?key=1` }, 'api_base'],
      [{}, 'api_base'],
      [{ catalogue_key: 'azure-openai' }, 'api_base'],
      [{ catalogue_key: 'no-such' }, 'catalogue_key'],
      [{ api_base: apiBase, kind: 'dynamic' }, 'kind'],
      [{ api_base: apiBase, protocol: 'telex' }, 'protocol'],
      [{ api_base: apiBase, auth_header: 'host' }, 'auth_header'],
      [{ api_base: apiBase, upstream_api_key: 'two\nlines' }, 'upstream_api_key'],
      [
        { api_base: apiBase, upstream_api_key: '{}', credential_kind: 'cloud_service_account' },
        'upstream_api_key',
      ],
      [{ api_base: apiBase, skip_validation: true }, 'skip_validation'],
    ] as const;
    for (const [body, param] of cases) {
      const answer = await send('POST', '/admin/providers', body);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param], JSON.stringify(body));
      assert.doesNotMatch(JSON.stringify(answer.body), /upstream-secret|not repeated/);
    }
    assert.deepEqual((await send('GET', '/admin/providers')).body, []);
  });

  it('refuses a second of the same name, or of the same address and auth', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    const other = await listedProvider(t);
    assert.equal(
      (await send('POST', '/admin/providers', { name: 'a', api_base: apiBase })).status,
      200,
    );
    const sameName = await send('POST', '/admin/providers', { name: 'a', api_base: other.apiBase });
    assert.deepEqual(errorOf(sameName), [409, 'conflict', 'name']);
    const sameAddress = await send('POST', '/admin/providers', { api_base: apiBase });
    assert.deepEqual(errorOf(sameAddress), [409, 'conflict', 'api_base']);
    const otherAuth = { api_base: apiBase, upstream_api_key: 'another' };
    const unnamed = await send('POST', '/admin/providers', otherAuth);
    assert.equal(member(unnamed.body, 'name'), new URL(apiBase).host);
    assert.equal(other.seen.length, 0);
  });

  it('is named after its catalogue entry, or after its address if the entry has several', async (t) => {
    const { send } = await testAdministrator(t);
    const bases = await Promise.all([listedProvider(t), listedProvider(t), listedProvider(t)]);
    const [cloud, second, own] = bases.map(({ apiBase }) => apiBase);
    const kinds = [
      [{ catalogue_key: 'vllm', api_base: cloud }, 'cloud', 'vLLM'],
      [{ catalogue_key: 'vllm', api_base: second }, 'cloud', 'vLLM#2'],
      [{ catalogue_key: 'vllm', api_base: own, kind: 'static' }, 'static', new URL(own ?? '').host],
    ] as const;
    for (const [body, kind, name] of kinds) {
      const made = await send('POST', '/admin/providers', body);
      assert.deepEqual([member(made.body, 'kind'), member(made.body, 'name')], [kind, name]);
      assert.equal(member(made.body, 'catalogue_key'), 'vllm');
    }
  });

  it('takes the neutral names of the protocols, and their headers', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    const made = await send('POST', '/admin/providers', {
      api_base: apiBase,
      protocol: 'native_a',
    });
    assert.deepEqual(
      [member(made.body, 'protocol'), member(made.body, 'auth_header')],
      ['anthropic', 'x-api-key'],
    );
    assert.equal(member(made.body, 'auth_scheme'), null);
  });
});

describe('a provider with a service account', () => {
  const egress = { allow: ['127.0.0.0/8'], deny: [] };

  it('is contacted with its access token, and a proxy gets only the token, never the file', async (t) => {
    const tokens = await tokenServer(t);
    const upstream = await listedProvider(t, { key: 'token-1' });
    const { send, ask } = await testAdministrator(t, { egress });
    const made = await send('POST', '/admin/providers', {
      api_base: upstream.apiBase,
      protocol: 'gemini',
      upstream_api_key: tokens.keyFile(),
      credential_kind: 'gcp_service_account',
    });
    assert.equal(member(made.body, 'credential_kind'), 'cloud_service_account');
    assert.equal(member(made.body, 'auth_header'), 'authorization');
    assert.equal(member(made.body, 'auth_scheme'), 'Bearer');
    assert.deepEqual(upstream.seen, ['Bearer token-1']);
    const snapshot = await ask({ path: '/snapshot', token: proxyToken });
    assert.deepEqual(member(member(snapshot.body, 'overlay'), 'tokens'), [
      { provider_id: 1, token: 'token-1' },
    ]);
    assert.doesNotMatch(JSON.stringify(snapshot.body), /PRIVATE|a@b\.example/);
    assert.equal(tokens.forms.length, 1);
  });

  it('is not stored if its file is invalid, missing or rejected', async (t) => {
    const tokens = await tokenServer(t);
    const { apiBase } = await listedProvider(t);
    const { send, warnings } = await testAdministrator(t, { egress });
    tokens.answerWith(() => rejection);
    const foreign = { client_email: 'a@b.example', private_key: privateKey };
    for (const upstream_api_key of [
      undefined,
      '',
      'sk-123',
      JSON.stringify({ ...foreign, token_uri: 'http://token.example/' }),
      tokens.keyFile(),
    ]) {
      const answer = await send('POST', '/admin/providers', {
        api_base: apiBase,
        upstream_api_key,
        credential_kind: 'cloud_service_account',
      });
      assert.deepEqual(errorOf(answer), [400, 'invalid', 'upstream_api_key']);
      assert.doesNotMatch(JSON.stringify(answer.body), /PRIVATE|sk-123|invalid_grant/);
    }
    assert.match(warnings.join(), /invalid_grant/);
    assert.doesNotMatch(warnings.join(), /PRIVATE/);
    assert.deepEqual((await send('GET', '/admin/providers')).body, []);
  });
});

describe('changing a provider', () => {
  it('keeps absent fields, and contacts a new endpoint or credential', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase, seen } = await listedProvider(t);
    const body = { name: 'a', api_base: apiBase, upstream_api_key: 'one' };
    await send('POST', '/admin/providers', body);
    const renamed = await send('PATCH', '/admin/providers/1', { name: 'b', kind: 'cloud' });
    assert.deepEqual([member(renamed.body, 'name'), member(renamed.body, 'kind')], ['b', 'cloud']);
    assert.deepEqual(seen, ['Bearer one']);
    await send('PATCH', '/admin/providers/1', { upstream_api_key: 'two' });
    await send('PATCH', '/admin/providers/1', { auth_scheme: 'Key' });
    assert.deepEqual(seen, ['Bearer one', 'Bearer two', 'Key two']);
    const cleared = await send('PATCH', '/admin/providers/1', { upstream_api_key: '' });
    assert.equal(member(cleared.body, 'has_upstream_api_key'), false);
  });

  it('takes the header of another protocol or kind of credential with it, unless one is given', async (t) => {
    const tokens = await tokenServer(t);
    const { send } = await testAdministrator(t, { egress: { allow: ['127.0.0.0/8'], deny: [] } });
    const { apiBase } = await listedProvider(t, {});
    await send('POST', '/admin/providers', { api_base: apiBase, upstream_api_key: 'one' });
    const file = { credential_kind: 'cloud_service_account', upstream_api_key: tokens.keyFile() };
    for (const [change, header, scheme] of [
      [{ protocol: 'native_b' }, 'x-goog-api-key', null],
      [file, 'authorization', 'Bearer'],
      [{ credential_kind: 'static', upstream_api_key: 'two' }, 'x-goog-api-key', null],
      [{ protocol: 'openai' }, 'authorization', 'Bearer'],
      [{ auth_header: 'X-Mine' }, 'x-mine', 'Bearer'],
      [{ auth_scheme: 'Key' }, 'x-mine', 'Key'],
      [{ auth_scheme: '' }, 'x-mine', null],
      [{ protocol: 'native_a' }, 'x-api-key', null],
    ] as const) {
      const changed = await send('PATCH', '/admin/providers/1', change);
      const auth = [member(changed.body, 'auth_header'), member(changed.body, 'auth_scheme')];
      assert.deepEqual(auth, [header, scheme], JSON.stringify(change).slice(0, 80));
    }
  });

  it('refuses to change the kind of a credential without the credential', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t, {});
    await send('POST', '/admin/providers', { api_base: apiBase, upstream_api_key: 'one' });
    const kind = { credential_kind: 'cloud_service_account' };
    const refused = await send('PATCH', '/admin/providers/1', kind);
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'credential_kind']);
    const cleared = await send('PATCH', '/admin/providers/1', { ...kind, upstream_api_key: '' });
    assert.deepEqual(errorOf(cleared), [400, 'invalid', 'upstream_api_key']);
  });

  it('clears the credential with null and with the empty string', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t, {});
    await send('POST', '/admin/providers', { api_base: apiBase });
    for (const upstream_api_key of [null, '']) {
      const set = await send('PATCH', '/admin/providers/1', { upstream_api_key: 'a-credential' });
      assert.equal(member(set.body, 'has_upstream_api_key'), true);
      const cleared = await send('PATCH', '/admin/providers/1', { upstream_api_key });
      assert.equal(member(cleared.body, 'has_upstream_api_key'), false);
    }
  });

  it('sends the stored credential to a different origin only with confirmation', async (t) => {
    const { send } = await testAdministrator(t);
    const upstream = await listedProvider(t);
    const thief = await listedProvider(t);
    const body = { api_base: upstream.apiBase, upstream_api_key: 'upstream-secret' };
    await send('POST', '/admin/providers', body);
    const move = { api_base: thief.apiBase };
    const refused = await send('PATCH', '/admin/providers/1', move);
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'api_base']);
    assert.deepEqual(thief.seen, []);
    const kept = await send('PATCH', '/admin/providers/1', { ...move, keep_credential: true });
    assert.equal(member(kept.body, 'api_base'), thief.apiBase);
    assert.deepEqual(thief.seen, ['Bearer upstream-secret']);
  });

  it('changes nothing if the new endpoint does not respond', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    const made = await send('POST', '/admin/providers', { api_base: apiBase });
    const refused = await send('PATCH', '/admin/providers/1', { api_base: 'http://127.0.0.1:1' });
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'api_base']);
    assert.deepEqual((await send('GET', '/admin/providers')).body, [made.body]);
    assert.equal((await send('PATCH', '/admin/providers/99', {})).status, 404);
  });
});

const leaseOf = (body: unknown) =>
  Object.fromEntries(Object.keys(noLease).map((name) => [name, member(body, name)]));

async function leased(t: TestContext) {
  const now = Date.parse('2030-01-02T03:04:05Z');
  const test = await testAdministrator(t, { clock: () => now });
  const { apiBase } = await listedProvider(t);
  await test.send('POST', '/admin/providers', { api_base: apiBase });
  const dynamic = await test.send('PATCH', '/admin/providers/1', { kind: 'dynamic' });
  const made = await test.send('POST', '/admin/keys', { name: 'agent', principal_id: 1 });
  const token = String(member(made.body, 'key'));
  const body = { api_base: apiBase, node: 'rack-3', engine: 'vllm', ttl_seconds: 90 };
  const beat = () => test.ask({ method: 'POST', path: '/admin/providers/register', token, body });
  return { ...test, dynamic, beat };
}

describe('the lease of a dynamic provider', () => {
  const lease = {
    node: 'rack-3',
    engine: 'vllm',
    ttl_seconds: 90,
    lease_expires_at: '2030-01-02T03:05:35.000Z',
  };

  it('is null until the first heartbeat of an agent, and shown afterwards', async (t) => {
    const { send, dynamic, beat } = await leased(t);
    assert.deepEqual([member(dynamic.body, 'kind'), leaseOf(dynamic.body)], ['dynamic', noLease]);
    assert.equal(member((await beat()).body, 'leased'), true);
    const { body } = await send('GET', '/admin/providers');
    assert.ok(Array.isArray(body));
    assert.deepEqual(leaseOf(body[0]), lease);
    const renamed = await send('PATCH', '/admin/providers/1', { name: 'renamed' });
    assert.deepEqual(leaseOf(renamed.body), lease);
  });

  it('is cleared when it becomes static or cloud, and not there when it is dynamic again', async (t) => {
    const { send, beat } = await leased(t);
    await beat();
    for (const kind of ['cloud', 'dynamic', 'static']) {
      const changed = await send('PATCH', '/admin/providers/1', { kind });
      assert.deepEqual([member(changed.body, 'kind'), leaseOf(changed.body)], [kind, noLease]);
    }
  });

  it('goes with its provider', async (t) => {
    const { send, plane, beat } = await leased(t);
    await beat();
    for (const id of [1, 2]) await send('DELETE', `/admin/backends/${id}`);
    assert.equal((await send('DELETE', '/admin/providers/1')).status, 200);
    assert.deepEqual(await plane.db.query(sql`select 1 from op.provider_leases`), []);
    assert.deepEqual(await plane.db.query(sql`select 1 from op.provider_probes`), []);
  });
});

describe('the models of a provider', () => {
  it('keep it from being deleted, and are named', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/providers', { api_base: apiBase });
    await send('POST', '/admin/provider-models', { name: 'mine' });
    await send('POST', '/admin/provider-models/1/backends', { provider_id: 1 });
    const refused = await send('DELETE', '/admin/providers/1');
    assert.deepEqual(errorOf(refused), [409, 'conflict', null]);
    assert.match(JSON.stringify(refused.body), /mine/);
    await send('DELETE', '/admin/backends/1');
    assert.deepEqual((await send('DELETE', '/admin/providers/1')).body, { id: 1 });
  });

  it('are listed as it serves them now, the registered ones marked', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/providers', { api_base: apiBase });
    await send('POST', '/admin/models', { name: 'mine' });
    const attachment = { provider_id: 1, upstream_model: 'large' };
    await send('POST', '/admin/models/1/backends', attachment);
    const available = await send('GET', '/admin/providers/1/available-models');
    assert.deepEqual(available.body, [
      { id: 'small', context_length: null, registered: false, model_id: null },
      { id: 'large', context_length: null, registered: true, model_id: 1 },
    ]);
    assert.equal((await send('GET', '/admin/providers/9/available-models')).status, 404);
  });

  it('returns 502 while the provider is unreachable', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t, { key: 'old' });
    const body = { api_base: apiBase, upstream_api_key: 'old' };
    await send('POST', '/admin/providers', body);
    await send('PATCH', '/admin/providers/1', { upstream_api_key: '' });
    const answer = await send('GET', '/admin/providers/1/available-models');
    assert.deepEqual(errorOf(answer), [502, 'upstream', 'upstream_api_key']);
  });
});

it('the catalogue is answered whole', async (t) => {
  const { send } = await testAdministrator(t);
  assert.deepEqual((await send('GET', '/admin/provider-catalogue')).body, providerCatalogue);
});

describe('two changes of a provider at once', () => {
  it('do not overwrite each other: the second is a 409', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/providers', { name: 'p', api_base: apiBase });
    const changes = [
      ['auth_header', 'x-key'],
      ['auth_scheme', 'Token'],
    ] as const;
    const answers = await Promise.all(
      changes.map(([field, value]) => send('PATCH', '/admin/providers/1', { [field]: value })),
    );
    const { body } = await send('GET', '/admin/providers');
    assert.ok(Array.isArray(body));
    for (const [index, [field, value]] of changes.entries()) {
      const status = answers[index]?.status;
      assert.ok(status === 200 || status === 409, String(status));
      assert.equal(member(body[0], field) === value, status === 200, field);
    }
  });
});
