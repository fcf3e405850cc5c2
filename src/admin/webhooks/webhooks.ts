// Serves webhooks: endpoints that receive notifications. Only the response to a creation or a
// rotation contains the signing secret. No response contains the address, whose path is often
// secret.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { webhookEndpointId } from '../../../events/webhook-endpoint.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import {
  listWebhookEndpoints,
  webhookEndpointRowIn,
} from '../../../projections/tables/webhook-endpoints.ts';
import type { WebhookEndpointRow } from '../../../projections/tables/webhook-endpoints.ts';
import { queuesOf } from '../../control/webhooks/deliveries.ts';
import {
  endpointCreation,
  endpointDeletion,
  endpointUpdate,
  secretRotation,
} from '../../control/webhooks/endpoints.ts';
import {
  routingKeyField,
  signingSecretField,
  webhookTypesField,
  webhookUrlField,
} from '../../control/webhooks/fields.ts';
import { descriptionField, nameField, timestamp } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { webhookFormat } from '../../lib/vocabulary.ts';
import { idIn } from '../http/fields.ts';
import { idOf, mutate } from '../http/mutation.ts';
import { none, route } from '../http/route.ts';
import { deleteRoute } from '../lists/changes.ts';
import { byName } from '../lists/page.ts';
import { readRoutes } from '../lists/records.ts';
import type { WebhookNeeds } from './needs.ts';

const queue = z.object({
  pending: z.int(),
  /** Notifications that were not queued because the queue was full. */
  dropped: z.int(),
  /** The oldest pending one was queued then. */
  oldest_at: timestamp.nullable(),
});

const webhookRecord = z.object({
  id: webhookEndpointId,
  name: z.string(),
  description: z.string().nullable(),
  /** Null selects all types that are not optional. */
  types: z
    .array(z.string())
    .readonly()
    .nullable()
    .meta({ examples: [['backend_down', 'log_alarm']] }),
  enabled: z.boolean(),
  format: webhookFormat,
  /** Scheme, host and port of the address. */
  origin: z.string().meta({ examples: ['https://alerts.example.com'] }),
  /** The secret before the last rotation signs too until then. Null before the first rotation. */
  replaced_secret_expires_at: timestamp.nullable(),
  created_at: timestamp,
  /** Null before the first delivery, and when reading a past state. */
  queue: queue.nullable(),
});

const createdWebhook = webhookRecord.extend({
  /** Null for formats that are not signed, and for a secret that the call gave. */
  secret: z
    .string()
    .nullable()
    .meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }),
});

const params = idIn(webhookEndpointId);

export const webhookRoutes = [
  ...readRoutes({
    noun: 'webhook_endpoint',
    path: '/admin/webhooks',
    called: ['Webhook', 'Webhooks'],
    summaries: {
      list: 'List webhooks, without addresses and secrets',
      one: 'Get a webhook, without its address and its secret',
    },
    id: webhookEndpointId,
    record: webhookRecord,
    order: byName,
    rows: listWebhookEndpoints,
    rowIn: webhookEndpointRowIn,
    toBody: (rows, needs: WebhookNeeds, past) => toRecords(needs, rows, past),
    absent: (id) => refuse('absent', `webhook ${id} does not exist`),
  }),
  route({
    method: 'POST',
    path: '/admin/webhooks',
    operation: 'createWebhook',
    permission: 'config:write',
    summary: 'Create a webhook; its address is not contacted. Only this response has the secret',
    example: { name: 'alerts', url: 'https://alerts.example.com/gw' },
    refusals: ['conflict'],
    params: none,
    query: none,
    body: z.strictObject({
      name: nameField,
      description: descriptionField.default(null),
      /** Null selects all types that are not optional. */
      types: webhookTypesField.default(null),
      enabled: z.boolean().default(true),
      format: webhookFormat.default('standard'),
      /** Required, except for PagerDuty. */
      url: webhookUrlField.optional(),
      /** The integration key of a PagerDuty service; required for format pagerduty. */
      routing_key: routingKeyField.optional(),
      /** The signing secret of format standard. By default gw makes one. */
      secret: signingSecretField.optional(),
    }),
    response: createdWebhook,
    handle: async ({ body }, call, needs: WebhookNeeds) => {
      const made = await endpointCreation(needs, body);
      if (isRefusal(made)) return made;
      return mutate(call, made.mutation, async (outcome, db) => {
        const id = idOf(outcome, 'WebhookEndpointCreated');
        return { ...(await recordIn(outcome.state, id, db)), secret: made.plaintext };
      });
    },
  }),
  route({
    method: 'PATCH',
    path: '/admin/webhooks/{id}',
    operation: 'updateWebhook',
    permission: 'config:write',
    summary: 'Update a webhook; its format cannot change',
    example: { enabled: false },
    refusals: ['absent', 'conflict'],
    params,
    query: none,
    body: z.strictObject({
      name: nameField.optional(),
      description: descriptionField.optional(),
      types: webhookTypesField.optional(),
      enabled: z.boolean().optional(),
      url: webhookUrlField.optional(),
      routing_key: routingKeyField.optional(),
    }),
    response: webhookRecord,
    handle: async ({ params: { id }, body }, call, needs: WebhookNeeds) =>
      mutate(call, await endpointUpdate(needs, id, body), ({ state }, db) =>
        recordIn(state, id, db),
      ),
  }),
  route({
    method: 'POST',
    path: '/admin/webhooks/{id}/rotate',
    operation: 'rotateWebhookSecret',
    permission: 'config:write',
    summary: 'Replace the signing secret; the present one signs too for 24 hours',
    refusals: ['absent', 'conflict'],
    params,
    query: none,
    body: none,
    response: createdWebhook,
    handle: ({ params: { id } }, call, needs: WebhookNeeds) => {
      const made = secretRotation(needs, id);
      return mutate(call, made.mutation, async ({ state }, db) => ({
        ...(await recordIn(state, id, db)),
        secret: made.plaintext,
      }));
    },
  }),
  deleteRoute({
    path: '/admin/webhooks/{id}',
    operation: 'deleteWebhook',
    summary: 'Delete a webhook, with what is queued for it',
    id: webhookEndpointId,
    command: endpointDeletion,
  }),
] as const;

async function recordIn(state: ConfigState, id: number, db: Queryable) {
  const row = webhookEndpointRowIn(state, id);
  const [record] = row === null ? [] : await toRecords({ db }, [row], null);
  if (record === undefined) throw new Error(`webhook ${id} is missing after it was written`);
  return record;
}

async function toRecords(
  { db }: Pick<WebhookNeeds, 'db'>,
  rows: readonly WebhookEndpointRow[],
  past: ConfigState | null,
) {
  const queues = past === null ? await queuesOf(db) : new Map<never, never>();
  return rows.map(({ replaced_secret_expires_at: expiresAt, created_at: at, ...row }) => {
    const size = queues.get(row.id);
    return {
      ...row,
      replaced_secret_expires_at: expiresAt?.toISOString() ?? null,
      created_at: at.toISOString(),
      queue:
        size === undefined
          ? null
          : {
              pending: size.pending,
              dropped: size.dropped,
              oldest_at: size.oldest?.toISOString() ?? null,
            },
    };
  });
}
