// Defines the events of webhook endpoints, which receive notifications. The address and the secret
// are in the vault, because the path of a webhook's address is often secret too. Proxies need none
// of them, so these events make no snapshot version.

import { z } from 'zod';

import { entityId } from '../src/lib/ids.ts';
import { webhookFormat } from '../src/lib/vocabulary.ts';
import { restoredAt, setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

export const webhookEndpointId = entityId.brand<'WebhookEndpointId'>();
export type WebhookEndpointId = z.output<typeof webhookEndpointId>;

const stored = z.object({ ref: z.uuid(), fingerprint: z.string() });
/** `origin` is the part of the address that is not secret. */
const storedAddress = stored.extend({ origin: z.string() });
const replacedSecret = stored.extend({ expires_at: z.iso.datetime({ offset: true }) });

export type StoredSecret = Readonly<z.output<typeof stored>>;
export type StoredAddress = Readonly<z.output<typeof storedAddress>>;
/** `expires_at` is when it stops signing. */
export type ReplacedSecret = Readonly<z.output<typeof replacedSecret>>;

const id = webhookEndpointId;
const details = {
  name: z.string(),
  description: z.string().nullable(),
  /** The selected types of notifications. Null selects all that are not optional. */
  types: z.array(z.string()).nullable(),
  enabled: z.boolean(),
};
const address = storedAddress;
/** The signing secret, or the integration key of a PagerDuty service. Slack needs none. */
const secret = stored.nullable();
const touchesNothing = { touchesSnapshot: false };

export const webhookEndpointEvents = {
  WebhookEndpointCreated: {
    touchesSnapshot: false,
    data: z.object({
      id,
      ...details,
      format: webhookFormat,
      address,
      secret,
      created_at: restoredAt,
    }),
  },
  WebhookEndpointChanged: setter({ id, ...details }, touchesNothing),
  WebhookEndpointAddressSet: setter({ id, address }, touchesNothing),
  /** The replaced signing secret signs too, until it expires. */
  WebhookEndpointSecretSet: setter(
    { id, secret, replaced_secret: replacedSecret.nullable() },
    touchesNothing,
  ),
  WebhookEndpointDeleted: { touchesSnapshot: false, data: z.object({ id }) },
} as const satisfies Record<string, EventDefinition>;

export type WebhookEndpointEvent = EventOf<typeof webhookEndpointEvents>;
