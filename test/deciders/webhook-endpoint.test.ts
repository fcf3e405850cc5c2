// Tests commands on webhook endpoints, and what a restore brings back of them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { webhookEndpointId } from '../../events/webhook-endpoint.ts';
import type { StoredSecret } from '../../events/webhook-endpoint.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { planRestore } from '../../src/deciders/restore.ts';
import { webhookEndpointsMax } from '../../src/deciders/webhook-endpoint.ts';
import type { WebhookFormat } from '../../src/lib/vocabulary.ts';
import { restoreTo } from '../harness/events/restores.ts';
import { append, emptyLog, given, testRef } from '../harness/events/test-log.ts';

const secretOf = (ref: number): StoredSecret => ({ ref: testRef(ref), fingerprint: `f${ref}` });
const addressAt = (ref: number, origin = 'https://here.example') => ({ ...secretOf(ref), origin });

type Facts = Readonly<{
  name: string;
  format: WebhookFormat;
  types: string[] | null;
  secret: StoredSecret | null;
}>;

const detailsOf = (facts: Partial<Facts> = {}) => ({
  name: facts.name ?? 'alerts',
  description: null,
  types: facts.types ?? null,
  enabled: true,
});

function created(number: number, facts: Partial<Facts> = {}): GwEvent {
  const { format = 'standard', secret = secretOf(12) } = facts;
  const id = webhookEndpointId.parse(number);
  return {
    stream: `webhook_endpoint-${number}`,
    type: 'WebhookEndpointCreated',
    data: { id, ...detailsOf(facts), format, address: addressAt(11), secret },
  };
}

const set = (type: string, data: object): GwEvent =>
  Object.assign({ stream: 'webhook_endpoint-1', type, data: { id: 1, ...data } });

const id = webhookEndpointId.parse(1);
const until = '2030-01-02T03:04:05.000Z';
const rotated = set('WebhookEndpointSecretSet', {
  secret: secretOf(13),
  replaced_secret: { ...secretOf(12), expires_at: until },
});
const deleted = set('WebhookEndpointDeleted', {});
const create: Command = {
  type: 'CreateWebhookEndpoint',
  ...detailsOf(),
  format: 'standard',
  address: addressAt(11),
  secret: secretOf(12),
};
const rotate: Command = {
  type: 'RotateWebhookSecret',
  id,
  secret: secretOf(13),
  replacedUntil: until,
};

describe('a webhook', () => {
  it('is created with the next id and a name that no other one has', () => {
    given([])
      .when(create)
      .yields([created(1)]);
    given([created(1)])
      .when(create)
      .refuses('conflict', /webhook alerts exists/, 'name');
    given([created(1), deleted])
      .when(create)
      .yields([created(2)]);
  });

  it('is refused beyond the maximum number', () => {
    const many = Array.from({ length: webhookEndpointsMax }, (_, index) =>
      created(index + 1, { name: `w${index}` }),
    );
    given(many)
      .when(create)
      .refuses('conflict', /there are 32 webhooks, which is the maximum/);
  });

  it('changes the fields that are sent', () => {
    const change = { types: ['backend_down'], enabled: false };
    given([created(1)])
      .when({ type: 'UpdateWebhookEndpoint', id, ...change })
      .yields([set('WebhookEndpointChanged', { ...detailsOf(), ...change })]);
    given([created(1)])
      .when({ type: 'UpdateWebhookEndpoint', id, address: addressAt(14, 'https://b.example') })
      .yields([set('WebhookEndpointAddressSet', { address: addressAt(14, 'https://b.example') })]);
    given([created(1)])
      .when({ type: 'UpdateWebhookEndpoint', id, enabled: true })
      .yields([]);
    given([])
      .when({ type: 'UpdateWebhookEndpoint', id, enabled: true })
      .refuses('absent', /webhook 1 does not exist/);
  });

  it('keeps the replaced secret until it expires when its secret is rotated', () => {
    given([created(1)])
      .when(rotate)
      .yields([rotated]);
    given([created(1, { format: 'slack', secret: null })])
      .when(rotate)
      .refuses('conflict', /format slack has no signing secret/);
  });

  it('of PagerDuty sends its key to another origin only if the key is sent again', () => {
    const held = created(1, { format: 'pagerduty' });
    const address = addressAt(14, 'https://b.example');
    given([held])
      .when({ type: 'UpdateWebhookEndpoint', id, address })
      .refuses('invalid', /url: https:\/\/b\.example would get the integration key/, 'url');
    given([held])
      .when({ type: 'UpdateWebhookEndpoint', id, address, routingKey: secretOf(15) })
      .yields([
        set('WebhookEndpointAddressSet', { address }),
        set('WebhookEndpointSecretSet', { secret: secretOf(15), replaced_secret: null }),
      ]);
    given([created(1)])
      .when({ type: 'UpdateWebhookEndpoint', id, routingKey: secretOf(15) })
      .refuses('invalid', /routing_key: format standard has none/, 'routing_key');
  });
});

describe('a restored webhook', () => {
  const before = append(append(emptyLog, []), [created(1)]);

  function restore(events: readonly GwEvent[], erased: readonly number[] = []) {
    const log = append(before, events);
    const refs = new Set(erased.map(testRef));
    return planRestore(log.state, restoreTo(log, before.state, refs));
  }

  it('gets back its fields and address', () => {
    const change = set('WebhookEndpointChanged', { ...detailsOf(), enabled: false });
    const moved = set('WebhookEndpointAddressSet', { address: addressAt(14) });
    const plan = restore([change, moved]);
    assert.deepEqual(plan.events, [
      set('WebhookEndpointChanged', detailsOf()),
      set('WebhookEndpointAddressSet', { address: addressAt(11) }),
    ]);
    assert.deepEqual(plan.missing, []);
  });

  it('keeps its secret when it was rotated', () => {
    const plan = restore([rotated]);
    assert.deepEqual(plan.events, []);
    assert.deepEqual(
      plan.missing.map(({ field, reason }) => [field, reason]),
      [
        ['secret', 'replaced'],
        ['replaced_secret', 'replaced'],
      ],
    );
  });

  it('comes back after its deletion unless the vault erased its address or secret', () => {
    assert.deepEqual(restore([deleted]).events, [
      { ...created(1), data: { ...created(1).data, created_at: restoredTime() } },
    ]);
    const plan = restore([deleted], [11, 12]);
    assert.deepEqual(plan.events, []);
    assert.deepEqual(
      plan.missing.map(({ field }) => field),
      ['address', 'secret'],
    );
  });

  const restoredTime = (): string =>
    new Date(before.state.webhook_endpoint.byId.get(1)?.createdAt ?? 0).toISOString();
});
