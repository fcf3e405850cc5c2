// Decides commands on webhook endpoints. Each has a unique name. A PagerDuty key stays with the
// origin that it was given for, because it is sent there.

import { streamOf } from '../../events/catalogue.ts';
import { webhookEndpointId } from '../../events/webhook-endpoint.ts';
import type {
  StoredAddress,
  StoredSecret,
  WebhookEndpointId,
} from '../../events/webhook-endpoint.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { WebhookEndpoint } from '../../projections/config/webhook-endpoint.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { WebhookFormat } from '../lib/vocabulary.ts';
import type { Decision } from './decision.ts';
import { setFields } from './set-fields.ts';

/** Undefined members stay unchanged. */
type Change = Readonly<{
  name?: string | undefined;
  description?: string | null | undefined;
  types?: readonly string[] | null | undefined;
  enabled?: boolean | undefined;
  address?: StoredAddress | undefined;
  /** The integration key of a PagerDuty service. */
  routingKey?: StoredSecret | undefined;
}>;

export type WebhookEndpointCommand =
  | Readonly<{
      type: 'CreateWebhookEndpoint';
      name: string;
      description: string | null;
      types: readonly string[] | null;
      enabled: boolean;
      format: WebhookFormat;
      address: StoredAddress;
      secret: StoredSecret | null;
    }>
  | Readonly<{ type: 'UpdateWebhookEndpoint'; id: WebhookEndpointId } & Change>
  | Readonly<{
      type: 'RotateWebhookSecret';
      id: WebhookEndpointId;
      secret: StoredSecret;
      /** RFC 3339. The present secret signs until then. */
      replacedUntil: string;
    }>
  | Readonly<{ type: 'DeleteWebhookEndpoint'; id: WebhookEndpointId }>;

/** Every control plane delivers to all endpoints at the same time. */
export const webhookEndpointsMax = 32;

export function decideWebhookEndpoint(
  state: ConfigState,
  command: WebhookEndpointCommand,
): Decision {
  if (command.type === 'CreateWebhookEndpoint') return create(state, command);
  const { id } = command;
  const held = state.webhook_endpoint.byId.get(id);
  if (held === undefined) return refuse('absent', `webhook ${id} does not exist`);
  switch (command.type) {
    case 'UpdateWebhookEndpoint':
      return update(state, held, command);
    case 'RotateWebhookSecret':
      return rotate(held, command);
    case 'DeleteWebhookEndpoint':
      return [
        { stream: streamOf('webhook_endpoint', id), type: 'WebhookEndpointDeleted', data: { id } },
      ];
  }
}

type Of<Type extends WebhookEndpointCommand['type']> = Extract<
  WebhookEndpointCommand,
  { type: Type }
>;

function create(state: ConfigState, command: Of<'CreateWebhookEndpoint'>): Decision {
  const { type: _type, types, ...given } = command;
  const { byId, lastId } = state.webhook_endpoint;
  if (byId.size >= webhookEndpointsMax) {
    return refuse('conflict', `there are ${byId.size} webhooks, which is the maximum; delete one`);
  }
  const id = webhookEndpointId.parse(lastId + 1);
  const taken = refuseTaken(state, id, given.name);
  if (taken !== null) return taken;
  const data = { id, ...given, types: types === null ? null : [...types] };
  return [{ stream: streamOf('webhook_endpoint', id), type: 'WebhookEndpointCreated', data }];
}

function update(
  state: ConfigState,
  held: WebhookEndpoint,
  { type: _type, routingKey, ...change }: Of<'UpdateWebhookEndpoint'>,
): Decision {
  const { id, name = held.name, address = held.address } = change;
  const taken = refuseTaken(state, id, name);
  if (taken !== null) return taken;
  if (routingKey === undefined) {
    const isMoved = held.format === 'pagerduty' && address.origin !== held.address.origin;
    if (!isMoved) return setFields('webhook_endpoint', held, change);
    return refuse(
      'invalid',
      `url: ${address.origin} would get the integration key of another origin; send routing_key`,
      { param: 'url' },
    );
  }
  if (held.format !== 'pagerduty') {
    return refuse('invalid', `routing_key: format ${held.format} has none`, {
      param: 'routing_key',
    });
  }
  const secret = { secret: routingKey, replacedSecret: null };
  return setFields('webhook_endpoint', held, { ...change, ...secret });
}

function rotate(
  held: WebhookEndpoint,
  { secret, replacedUntil }: Of<'RotateWebhookSecret'>,
): Decision {
  if (held.format !== 'standard' || held.secret === null) {
    return refuse('conflict', `webhook ${held.id}: format ${held.format} has no signing secret`);
  }
  const replacedSecret = { ...held.secret, expires_at: replacedUntil };
  return setFields('webhook_endpoint', held, { secret, replacedSecret });
}

function refuseTaken(state: ConfigState, id: WebhookEndpointId, name: string): Refusal | null {
  const isTaken = [...state.webhook_endpoint.byId.values()].some(
    (one) => one.id !== id && one.name === name,
  );
  return isTaken ? refuse('conflict', `webhook ${name} exists`, { param: 'name' }) : null;
}
