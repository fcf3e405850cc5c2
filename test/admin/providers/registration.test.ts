// Tests registration over HTTP: permissions, what it creates, what it never changes, and that a
// repeated heartbeat adds no event.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import type { Resolve } from '../../../src/egress/egress.ts';
import { errorOf, member } from '../../harness/admin/admin.ts';
import { startModelHosts } from '../../harness/upstream/model-hosts.ts';
import { leasingPlane } from '../../harness/control/leases.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { until } from '../../harness/wait.ts';

const listed = async ({ send }: Awaited<ReturnType<typeof leasingPlane>>) => {
  const { body } = await send('GET', '/admin/providers');
  assert.ok(Array.isArray(body));
  return body;
};

describe('registering a host', () => {
  it('makes a dynamic provider with the models that it serves, by the name of the principal', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await listedProvider(t, { models: ['qwen'] });
    const key = await leasing.key('agent');
    const body = {
      api_base: `${apiBase}/`,
      name: 'rack-1',
      node: 'rack-1.example',
      engine: 'vllm',
    };
    const made = await leasing.register(key, body);
    assert.deepEqual(made.body, {
      id: 1,
      api_base: apiBase,
      name: 'rack-1',
      kind: 'dynamic',
      leased: true,
      lease_expires_at: '2030-01-01T00:01:30.000Z',
    });
    assert.match(made.headers.get('x-gw-snapshot-version') ?? '', /^\d+$/);
    const [provider] = await listed(leasing);
    assert.deepEqual(
      ['node', 'engine', 'ttl_seconds', 'model_count', 'last_seen_at'].map((name) =>
        member(provider, name),
      ),
      ['rack-1.example', 'vllm', 90, 1, '2030-01-01T00:00:00.000Z'],
    );
    const { body: audit } = await leasing.send('GET', '/admin/audit?limit=1');
    assert.ok(Array.isArray(audit));
    assert.deepEqual(
      ['actor_name', 'action', 'target'].map((name) => member(audit[0], name)),
      ['agent', 'POST', '/admin/providers/register'],
    );
  });

  it('renews the lease without an event if nothing is new', async (t) => {
    const leasing = await leasingPlane(t);
    const upstream = await listedProvider(t);
    const key = await leasing.key('agent');
    const body = { api_base: upstream.apiBase, name: 'rack-1', node: 'n', ttl_seconds: 30 };
    await leasing.register(key, body);
    const before = await leasing.events();
    leasing.time.now += 20_000;
    const again = await leasing.register(key, body);
    assert.equal(member(again.body, 'lease_expires_at'), '2030-01-01T00:00:50.000Z');
    assert.equal((await leasing.events()).length, before.length);
    assert.equal(upstream.seen.length, 1, 'nor is the host asked again');
  });

  it('answers a repeated Idempotency-Key as the first time', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await listedProvider(t);
    const token = await leasing.key('agent');
    const beat = () =>
      leasing.ask({
        method: 'POST',
        path: '/admin/providers/register',
        token,
        body: { api_base: apiBase },
        headers: { 'idempotency-key': 'beat-1' },
      });
    const first = await beat();
    leasing.time.now += 20_000;
    assert.deepEqual((await beat()).body, first.body);
  });

  it('refuses what is malformed, and stores nothing of an address that does not answer', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await listedProvider(t, { key: 'secret' });
    const key = await leasing.key('agent');
    const cases = [
      [{}, 'api_base'],
      [{ api_base: 'ftp://a.example' }, 'api_base'],
      [{ api_base: 'http://user:word@a.example' }, 'api_base'],
      [{ api_base: 'http://169.254.169.254/v1' }, 'api_base'],
      [{ api_base: 'http://127.0.0.1:1' }, 'api_base'],
      [{ api_base: apiBase }, 'upstream_api_key'],
      [{ api_base: apiBase, ttl_seconds: 0 }, 'ttl_seconds'],
      [{ api_base: apiBase, ttl_seconds: 86_401 }, 'ttl_seconds'],
      [{ api_base: apiBase, node: '' }, 'node'],
      [{ api_base: apiBase, models: ['m'] }, 'models'],
    ] as const;
    for (const [body, param] of cases) {
      const answer = await leasing.register(key, body);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param], JSON.stringify(body));
      assert.doesNotMatch(JSON.stringify(answer.body), /not repeated/);
    }
    assert.deepEqual(await listed(leasing), []);
  });

  it('stops at the maximum number of providers per principal', async (t) => {
    const leasing = await leasingPlane(t, { dynamicProvidersMax: 2 });
    const { apiBase } = await startModelHosts(t, 3);
    const key = await leasing.key('agent');
    const answers = [];
    for (const index of [0, 1, 2]) {
      answers.push(await leasing.register(key, { api_base: apiBase(index) }));
    }
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 409],
    );
    const other = await leasing.register(await leasing.key('other'), { api_base: apiBase(2) });
    assert.equal(other.status, 200);
  });

  it('creates one provider for concurrent registrations of one address', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await listedProvider(t);
    const keys = [await leasing.key('a'), await leasing.key('b')];
    const answers = await Promise.all(
      keys.map((key) => leasing.register(key, { api_base: apiBase, name: 'rack' })),
    );
    const held = answers.filter(({ body }) => member(body, 'leased') === true);
    assert.equal(held.length, 1);
    assert.equal((await listed(leasing)).length, 1);
  });
});

it('a heartbeat is refused once its address is no longer allowed', async (t) => {
  let address = '127.0.0.1';
  const resolve: Resolve = (_host, _options, callback) => callback(null, [{ address, family: 4 }]);
  const leasing = await leasingPlane(t, { resolve });
  const { apiBase } = await listedProvider(t, { models: ['qwen'] });
  const key = await leasing.key('agent');
  const beat = () =>
    leasing.register(key, { api_base: apiBase.replace('127.0.0.1', 'rebind.example') });
  assert.equal((await beat()).status, 200);
  address = '169.254.169.254';
  assert.deepEqual(errorOf(await beat()), [400, 'invalid', 'api_base']);
});

it('a heartbeat does not wait for pending DNS lookups of others', async (t) => {
  let isHanging = false;
  let hanging = 0;
  const resolve: Resolve = (_host, _options, callback) => {
    if (isHanging) hanging += 1;
    else callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const leasing = await leasingPlane(t, { resolve });
  const { apiBase } = await listedProvider(t, { models: ['qwen'] });
  const key = await leasing.key('agent');
  const beat = async (host: string) => {
    const { status } = await leasing.register(key, {
      api_base: apiBase.replace('127.0.0.1', `${host}.example`),
    });
    return { host, status };
  };
  for (const host of ['a', 'b', 'c']) assert.equal((await beat(host)).status, 200);
  isHanging = true;
  const others = ['a', 'b'].map(beat);
  await until(() => hanging === 2, { what: 'two look-ups' });
  assert.deepEqual(await Promise.race([beat('c'), ...others]), { host: 'c', status: 200 });
  // Pending DNS lookups succeed too; the next connection checks the name.
  for (const { status } of await Promise.all(others)) assert.equal(status, 200);
});

describe('a registration under --provider-registration permitted', () => {
  it('is refused without provider:register, and works with it', async (t) => {
    const leasing = await leasingPlane(t, { needsPermissionToRegister: true });
    const { apiBase } = await listedProvider(t, { models: ['qwen'] });
    const key = await leasing.key('agent');
    const refused = await leasing.register(key, { api_base: apiBase });
    assert.equal(refused.status, 403);
    assert.match(JSON.stringify(refused.body), /provider:register/);
    assert.deepEqual(await listed(leasing), []);
    await leasing.send('POST', '/admin/roles', { name: 'hosts' });
    const grant = { verb: 'provider:register', resource: '*' };
    await leasing.send('POST', '/admin/roles/hosts/permissions', grant);
    const { body: principals } = await leasing.send('GET', '/admin/principals');
    assert.ok(Array.isArray(principals));
    const agent = principals.find((one) => member(one, 'name') === 'agent');
    await leasing.send('POST', `/admin/principals/${String(member(agent, 'id'))}/roles`, {
      role: 'hosts',
    });
    assert.equal((await leasing.register(key, { api_base: apiBase })).status, 200);
  });
});

describe('a learned model', () => {
  it('is not allowed by model/* until an operator refers to it', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await listedProvider(t, { models: ['gpt-4o'] });
    const { body: registered } = await leasing.register(await leasing.key('agent'), {
      api_base: apiBase,
      name: 'rack',
    });
    assert.equal(member(registered, 'leased'), true);
    // Principal 2 is granted model/*.
    const chain = async () => {
      const asked = { model: 'gpt-4o', principal_id: 2 };
      const { body } = await leasing.send('POST', '/admin/routing/dry-run', asked);
      return JSON.stringify(member(body, 'chain'));
    };
    const reviewed = async () => {
      const { body } = await leasing.send('GET', '/admin/access');
      assert.ok(Array.isArray(body));
      return body.map((row) => [member(row, 'principal'), member(row, 'model')].join(' '));
    };
    const closed = async () => {
      const { body } = await leasing.send('GET', '/admin/provider-models');
      assert.ok(Array.isArray(body));
      return body.map((model) => [member(model, 'name'), member(model, 'closed')]);
    };
    const before = (await leasing.send('GET', '/admin/log/head')).body;
    assert.equal(await chain(), '[]');
    assert.deepEqual(await reviewed(), []);
    assert.deepEqual(await closed(), [['gpt-4o', true]]);
    await leasing.send('POST', '/admin/model-pools', {
      name: 'chat',
      members: [{ model: 'gpt-4o' }],
    });
    assert.match(await chain(), /gpt-4o/);
    assert.deepEqual(await reviewed(), ['bootstrap gpt-4o', 'boss gpt-4o']);
    assert.deepEqual(await closed(), [['gpt-4o', false]]);
    const asOf = `as_of=${String(member(before, 'position'))}`;
    assert.deepEqual((await leasing.send('GET', `/admin/access?${asOf}`)).body, []);
  });

  it('yields its name to an operator, and keeps its id under that of its provider', async (t) => {
    for (const [path, name] of [
      ['provider-models', 'gpt-4o@rack'],
      ['model-pools', 'gpt-4o@rack'],
      // A frontend model may have the same name as a provider model, so the discovered one keeps
      // it.
      ['frontend-models', 'gpt-4o'],
    ] as const) {
      const leasing = await leasingPlane(t);
      const { apiBase } = await listedProvider(t, { models: ['gpt-4o'] });
      await leasing.register(await leasing.key('agent'), { api_base: apiBase, name: 'rack' });
      const made = await leasing.send('POST', `/admin/${path}`, { name: 'gpt-4o' });
      assert.deepEqual([made.status, member(made.body, 'name')], [200, 'gpt-4o'], path);
      const { body } = await leasing.send('GET', '/admin/provider-models');
      assert.ok(Array.isArray(body));
      const names = body.map((model) => [member(model, 'id'), member(model, 'name')]);
      assert.ok(JSON.stringify(names).includes(`[1,"${name}"]`), JSON.stringify(names));
      await leasing.sweep();
      const { body: swept } = await leasing.send('GET', '/admin/provider-models');
      assert.deepEqual(swept, body, 'a sweep leaves it so');
    }
  });
});

describe('a registration of what is not the caller’s', () => {
  it('does not change a provider of another principal, even out of rotation', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await startModelHosts(t, 1);
    await leasing.sweep();
    const mine = await leasing.key('mine');
    await leasing.register(mine, {
      api_base: apiBase(0),
      name: 'rack',
      node: 'a',
      ttl_seconds: 30,
    });
    leasing.time.now += 60_000;
    await leasing.sweep();
    const before = (await leasing.events()).length;
    const theft = { api_base: apiBase(0), name: 'stolen', node: 'b', ttl_seconds: 86_400 };
    const declined = await leasing.register(await leasing.key('theirs'), theft);
    assert.deepEqual(
      [declined.status, member(declined.body, 'leased'), member(declined.body, 'name')],
      [200, false, 'stolen'],
    );
    const [provider] = await listed(leasing);
    assert.equal(member(provider, 'degraded_reason'), 'the lease lapsed');
    // The log contains only the principal and the key of the thief.
    const types = (await leasing.events()).slice(before).map(({ type }) => type);
    assert.ok(
      types.every((type) => /^(?:Principal|ApiKey)/.test(type)),
      types.join(),
    );
    assert.ok(
      leasing.warnings.some((warning) =>
        /another principal registered this provider/.test(warning),
      ),
    );
  });

  it('never converts a static provider, takes its name or discloses it', async (t) => {
    const leasing = await leasingPlane(t);
    const [fixed, host] = [await listedProvider(t), await listedProvider(t)];
    await leasing.send('POST', '/admin/providers', { name: 'engine', api_base: fixed.apiBase });
    const key = await leasing.key('agent');
    const same = await leasing.register(key, { api_base: fixed.apiBase, name: 'mine' });
    assert.deepEqual(same.body, {
      id: 0,
      api_base: fixed.apiBase,
      name: 'mine',
      kind: null,
      leased: false,
      lease_expires_at: null,
    });
    const [provider] = await listed(leasing);
    assert.deepEqual([member(provider, 'name'), member(provider, 'kind')], ['engine', 'static']);
    const named = await leasing.register(key, { api_base: host.apiBase, name: 'engine' });
    assert.equal(named.status, 200);
    assert.equal(member(named.body, 'name'), new URL(host.apiBase).host);
    assert.ok(leasing.warnings.some((warning) => /another provider has it/.test(warning)));
  });
});

it('a provider out of rotation returns after one heartbeat, if it responds', async (t) => {
  const leasing = await leasingPlane(t);
  const { all, apiBase } = await startModelHosts(t, 1);
  const [host] = all;
  assert.ok(host);
  const key = await leasing.key('agent');
  const beat = () => leasing.register(key, { api_base: apiBase(0), ttl_seconds: 3600 });
  const dropped = () =>
    leasing.plane.publisher
      .current()
      ?.snapshot.overlay.dropped_providers.map(({ reason }) => reason);
  host.models = ['qwen'];
  await beat();
  const version = leasing.plane.publisher.current()?.snapshot.version;
  host.isUp = false;
  leasing.time.now += 60_000;
  await leasing.sweep();
  assert.deepEqual(dropped(), [`${apiBase(0)}/models responded with status 503`]);
  const before = (await leasing.events()).length;
  assert.equal((await beat()).status, 200);
  assert.equal(dropped()?.length, 1, 'a beat alone proves nothing');
  assert.equal((await leasing.events()).length, before);
  host.isUp = true;
  await beat();
  assert.deepEqual(dropped(), []);
  assert.equal(
    leasing.plane.publisher.current()?.snapshot.version,
    version,
    'response caches of proxies are not dropped',
  );
  const rows = await leasing.plane.db.query(
    sql`select 1 from op.provider_probes where failing_since is not null`,
  );
  assert.deepEqual(rows, []);
});
