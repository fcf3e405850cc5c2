// Lists the deliveries of a webhook endpoint, sends one again, and sends a test.

import type { WebhookEndpointId } from '../../../events/webhook-endpoint.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Database } from '../../db/pool.ts';
import {
  insertDirectDelivery,
  listDeliveries,
  readQueueSizes,
  resendDelivery,
} from '../../db/webhooks/deliveries.ts';
import type { DeliveryRow, QueueSize } from '../../db/webhooks/deliveries.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { DeliveryState } from '../../lib/vocabulary.ts';
import { queuedMaxDefault, retryMs } from './outbox.ts';

export type DeliveryTools = Readonly<{
  /** Reads and writes the outbox. */
  reports: Database;
  clock: Clock;
  newId: () => string;
  /** Sends what is due, soon. */
  wake: () => void;
}>;

type Listed = Readonly<{
  id: WebhookEndpointId;
  state: DeliveryState | null;
  /** Only older ones than this delivery; null starts with the newest. */
  after: number | null;
  limit: number;
}>;

/** Newest first. `next` is the id to continue after; null if nothing is left. */
export async function deliveriesOf(
  { reports }: Pick<DeliveryTools, 'reports'>,
  state: ConfigState,
  { id, state: wanted, after, limit }: Listed,
): Promise<Readonly<{ rows: readonly DeliveryRow[]; next: number | null }> | Refusal> {
  if (!state.webhook_endpoint.byId.has(id)) return absent(id);
  const asked = { endpointId: id, state: wanted, before: after, limit: limit + 1 };
  const found = await listDeliveries(reports, asked);
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** The queues of all endpoints that ever had a delivery, by id. */
export async function queuesOf(
  reports: Parameters<typeof readQueueSizes>[0],
): Promise<ReadonlyMap<number, QueueSize>> {
  const sizes = await readQueueSizes(reports);
  return new Map(sizes.map((one) => [one.endpointId, one]));
}

/** Queues a test for this endpoint alone, after what is queued there. */
export async function sendTest(
  tools: DeliveryTools,
  state: ConfigState,
  id: WebhookEndpointId,
): Promise<DeliveryRow | Refusal> {
  const name = await refuseFull(tools, state, id);
  if (isRefusal(name)) return name;
  const { reports, newId } = tools;
  const delivery = await insertDirectDelivery(reports, {
    endpointId: id,
    notificationId: newId(),
    type: 'webhook_test',
    data: { webhook: name },
    ...times(tools),
  });
  return queued(tools, { id, delivery });
}

type Sent = Readonly<{ id: WebhookEndpointId; delivery: number }>;

/** Queues the delivery again, with its id, before newer ones. */
export async function sendAgain(
  tools: DeliveryTools,
  state: ConfigState,
  { id, delivery }: Sent,
): Promise<DeliveryRow | Refusal> {
  const refusal = await refuseFull(tools, state, id);
  if (isRefusal(refusal)) return refusal;
  const again = { endpointId: id, id: delivery, ...times(tools) };
  const isFound = await resendDelivery(tools.reports, again);
  if (!isFound) return refuse('absent', `webhook ${id} has no delivery ${delivery}`);
  return queued(tools, { id, delivery });
}

async function queued(tools: DeliveryTools, { id, delivery }: Sent): Promise<DeliveryRow> {
  const asked = { endpointId: id, state: null, before: delivery + 1, limit: 1 };
  const [row] = await listDeliveries(tools.reports, asked);
  if (row === undefined) throw new Error(`delivery ${delivery} is missing after it was queued`);
  tools.wake();
  return row;
}

function times({ clock }: DeliveryTools): Readonly<{ at: Date; retryUntil: Date }> {
  const now = clock();
  return { at: new Date(now), retryUntil: new Date(now + retryMs) };
}

/** The name of the endpoint, or why it cannot get a notification. */
async function refuseFull(
  { reports }: DeliveryTools,
  state: ConfigState,
  id: WebhookEndpointId,
): Promise<string | Refusal> {
  const endpoint = state.webhook_endpoint.byId.get(id);
  if (endpoint === undefined) return absent(id);
  if (!endpoint.enabled) {
    return refuse('conflict', `webhook ${id} is disabled; enable it to send notifications`);
  }
  const queues = await queuesOf(reports);
  const pending = queues.get(id)?.pending ?? 0;
  if (pending < queuedMaxDefault) return endpoint.name;
  return refuse(
    'conflict',
    `webhook ${id} has ${pending} pending deliveries, which is the maximum`,
  );
}

const absent = (id: WebhookEndpointId): Refusal => refuse('absent', `webhook ${id} does not exist`);
