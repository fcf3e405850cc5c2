// Tests webhooks in declarative files: drift, rotation of the secret, and what is refused.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, member } from '../../harness/admin/admin.ts';
import {
  declaring as started,
  hook,
  readPlan as read,
  signing,
  signingSecret,
} from '../../harness/admin/declared.ts';

describe('an apply of webhooks', () => {
  const alerts = { name: 'alerts', url: hook, secret: signing };

  it('reverts what someone changed, and keeps secrets that the files do not state', async (t) => {
    const { plan, apply, send, plane } = await started(t);
    const files = {
      webhooks: [
        { ...alerts, types: ['log_alarm'] },
        { name: 'b', ...slack },
      ],
    };
    await apply(files);
    const types = ['backend_down'];
    const moved = await send('PATCH', '/admin/webhooks/1', { url: 'http://other.example/', types });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    await send('DELETE', '/admin/webhooks/2');
    const { changes } = read(await plan(files));
    assert.deepEqual(
      changes.map(({ action, name, drift }) => [action, name, drift]),
      [
        ['update', 'alerts', { type: 'WebhookEndpointAddressSet', actor: 'boss' }],
        ['create', 'b', { type: 'WebhookEndpointDeleted', actor: 'boss' }],
      ],
    );
    assert.deepEqual(changes[0]?.fields, [
      { field: 'types', before: ['backend_down'], after: ['log_alarm'] },
      { field: 'url', before: 'held', after: 'another address' },
    ]);
    await apply(files);
    assert.deepEqual(read(await plan(files)).changes, []);
    const endpoint = plane.store.state().webhook_endpoint.byId.get(1);
    const ref = endpoint?.address.ref ?? '';
    assert.deepEqual([...(await plane.vault.reveal(plane.db, [ref])).values()], [hook]);
    for (const own of [{}, { url: 'held', secret: 'held' }]) {
      const held = { webhooks: [{ name: 'alerts', types: ['log_alarm'], ...own }] };
      assert.deepEqual(
        read(await plan(held)).changes.map(({ name }) => name),
        ['b'],
      );
    }
    await apply({});
    assert.equal(plane.store.state().webhook_endpoint.byId.size, 0);
  });

  it('rotates a signing secret, so that the present one signs too for 24 hours', async (t) => {
    const { plan, apply, send, plane } = await started(t);
    await apply({ webhooks: [alerts] });
    const files = { webhooks: [{ ...alerts, secret: signingSecret('second') }] };
    const [change] = read(await apply(files)).changes;
    assert.deepEqual(change?.fields, [
      { field: 'secret', before: 'held', after: 'another credential' },
    ]);
    const { secret, replacedSecret } = plane.store.state().webhook_endpoint.byId.get(1) ?? {};
    const refs = [secret?.ref ?? '', replacedSecret?.ref ?? ''];
    const known = await plane.vault.reveal(plane.db, refs);
    assert.deepEqual(
      refs.map((ref) => known.get(ref)),
      [signingSecret('second'), signing],
    );
    const { body } = await send('GET', '/admin/webhooks/1');
    const until = Date.parse(String(member(body, 'replaced_secret_expires_at')));
    assert.ok(Math.abs(until - Date.now() - 24 * 3_600_000) < 60_000);
    assert.deepEqual(read(await plan(files)).changes, []);
  });

  it('refuses a new one without its secrets, another format, and a foreign secret', async (t) => {
    const { apply, plan } = await started(t);
    for (const [webhook, field] of [
      [{ name: 'a', secret: signing }, 'url'],
      [{ name: 'a', url: hook }, 'secret'],
      [{ name: 'a', url: 'held', secret: signing }, 'url'],
      [{ name: 'a', url: 'ftp://hooks.example/', secret: signing }, 'url'],
      [{ name: 'a', url: hook, secret: 'short' }, 'secret'],
      [{ name: 'a', format: 'pagerduty' }, 'routing_key'],
      [{ name: 'a', format: 'slack', url: hook, secret: signing }, 'secret'],
      [{ name: 'a', ...slack, types: ['webhook_test'] }, 'types.0'],
    ] as const) {
      const answer = await plan({ webhooks: [webhook] });
      assert.deepEqual(errorOf(answer), [400, 'invalid', `resources.webhooks.0.${field}`]);
      assert.doesNotMatch(JSON.stringify(answer.body), /a-secret-of|hooks\.example/);
    }
    await apply({ webhooks: [alerts] });
    const slackAlerts = { webhooks: [{ name: 'alerts', format: 'slack' }] };
    const [status, code] = errorOf(await plan(slackAlerts));
    assert.deepEqual([status, code], [409, 'conflict']);
  });
});

const slack = { format: 'slack', url: hook };
