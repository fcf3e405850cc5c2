// Serves the deliveries of a webhook: lists them, sends one again, and sends a test. They are facts
// of operation and no configuration, so sending makes no event.

import { z } from 'zod';

import { webhookEndpointId } from '../../../events/webhook-endpoint.ts';
import { deliveriesOf, sendAgain, sendTest } from '../../control/webhooks/deliveries.ts';
import type { DeliveryTools } from '../../control/webhooks/deliveries.ts';
import { timestamp } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { deliveryState } from '../../lib/vocabulary.ts';
import { idIn, limitQuery, wholeNumber } from '../http/fields.ts';
import { none, route } from '../http/route.ts';

const deliveryRecord = z.object({
  id: z.int(),
  /** Sent as webhook-id, and equal at all webhooks. */
  notification_id: z.uuid().meta({ examples: ['5b0c2f4e-8a3d-4c55-9a57-3f2f9d1c7e10'] }),
  type: z.string().meta({ examples: ['backend_down'] }),
  /** The time of what the notification is about. */
  at: timestamp,
  state: deliveryState,
  queued_at: timestamp,
  attempts: z.int(),
  /** The end of the last attempt. */
  attempted_at: timestamp.nullable(),
  /** The HTTP status of the last answer. Null without an answer. */
  status: z.int().nullable(),
  /** The failure of the last attempt. */
  error: z.string().nullable(),
  /** Null if no attempt follows. */
  next_attempt_at: timestamp.nullable(),
});

const params = idIn(webhookEndpointId);
const query = z.strictObject({
  state: deliveryState.optional(),
  limit: limitQuery({ standard: 100 }),
  /** The id of the last delivery of the previous page. */
  after: wholeNumber({ from: 1 }).optional(),
});
const sending = { method: 'POST', permission: 'config:write', asks: true } as const;

export const webhookDeliveryRoutes = [
  route({
    method: 'GET',
    path: '/admin/webhooks/{id}/deliveries',
    operation: 'listWebhookDeliveries',
    permission: 'usage:read',
    summary: 'List the deliveries of a webhook of the last 7 days, newest first',
    refusals: ['absent'],
    params,
    query,
    body: none,
    response: z.array(deliveryRecord),
    handle: async ({ params: { id }, query }, { config, path }, needs: DeliveryTools) => {
      const { state = null, after = null, limit } = query;
      const found = await deliveriesOf(needs, config.state(), { id, state, after, limit });
      if (isRefusal(found)) return found;
      const { rows, next } = found;
      const more = new URLSearchParams({
        ...(state === null ? {} : { state }),
        limit: String(limit),
        after: String(next),
      });
      const headers: Readonly<Record<string, string>> =
        next === null ? {} : { link: `<${path}?${more.toString()}>; rel="next"` };
      return { headers, body: rows.map(toRecord) };
    },
  }),
  route({
    ...sending,
    path: '/admin/webhooks/{id}/test',
    operation: 'testWebhook',
    summary: 'Send a test to a webhook',
    refusals: ['absent', 'conflict'],
    params,
    query: none,
    body: none,
    response: deliveryRecord,
    handle: async ({ params: { id } }, { config }, needs: DeliveryTools) => {
      const sent = await sendTest(needs, config.state(), id);
      return isRefusal(sent) ? sent : { body: toRecord(sent) };
    },
  }),
  route({
    ...sending,
    path: '/admin/webhooks/{id}/deliveries/{delivery}/resend',
    operation: 'resendWebhookDelivery',
    summary: 'Send a notification to a webhook again, with its id',
    refusals: ['absent', 'conflict'],
    params: params.extend({ delivery: wholeNumber({ from: 1 }) }),
    query: none,
    body: none,
    response: deliveryRecord,
    handle: async ({ params: { id, delivery } }, { config }, needs: DeliveryTools) => {
      const sent = await sendAgain(needs, config.state(), { id, delivery });
      return isRefusal(sent) ? sent : { body: toRecord(sent) };
    },
  }),
] as const;

type Row = Exclude<Awaited<ReturnType<typeof sendTest>>, Refusal>;

const toRecord = (row: Row) => ({
  ...row,
  at: row.at.toISOString(),
  queued_at: row.queued_at.toISOString(),
  attempted_at: row.attempted_at?.toISOString() ?? null,
  next_attempt_at: row.state === 'pending' ? row.next_attempt_at.toISOString() : null,
});
