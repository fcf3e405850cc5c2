// Delivers notifications to webhook endpoints from tables: at least once, in order at each endpoint,
// with retries for 24 hours. Every control plane runs it; turns assign each endpoint to one of them.

import type { Dispatcher } from 'undici';

import type { Database } from '../../db/pool.ts';
import { insertNotifications, routeNotifications } from '../../db/webhooks/notifications.ts';
import type { NotificationRow } from '../../db/webhooks/notifications.ts';
import { endTurn, takeTurns } from '../../db/webhooks/turns.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSelected, notificationTypes } from '../../notifications/types.ts';
import { deliverInTurn } from './deliver.ts';
import type { Destination } from './deliver.ts';
import type { Notifier } from './notify.ts';
import { queuedOf } from './queued.ts';

/** `types` are the selected ones; null means all that are not optional. */
export type Endpoint = Readonly<{
  id: number;
  isEnabled: boolean;
  types: readonly string[] | null;
}>;

export type Endpoints = Readonly<{
  /** At the head of the log. */
  list: () => Promise<readonly Endpoint[]>;
  /** Read before each attempt. Null if the endpoint must not get a delivery now. */
  destination: (id: number) => Promise<Destination | null>;
}>;

export type OutboxDependencies = Readonly<{
  db: Database;
  notifier: Pick<Notifier, 'waiting' | 'passOn'>;
  endpoints: Endpoints;
  dispatcher: Dispatcher;
  clock: Clock;
  random: () => number;
  newId: () => string;
  log: Readonly<{ warn: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  /** For tests. */
  queuedMax?: number;
  timeoutMs?: number;
}>;

export type Outbox = Readonly<{
  /**
   * Stores what waits, makes due deliveries and begins to send them. Resolves when all have begun;
   * rejects if the database fails.
   */
  run: () => Promise<void>;
  /** Resolves when this process has no turn. */
  settled: () => Promise<void>;
  /** Failed attempts of this process, by endpoint. */
  failures: () => ReadonlyMap<number, number>;
  /** Stores what waits, and ends the turns after the attempts in progress. */
  close: () => Promise<void>;
}>;

/** The maximum number of pending deliveries of an endpoint. Further notifications are dropped. */
export const queuedMaxDefault = 10_000;
/** A delivery is retried for this long. */
export const retryMs = 24 * 60 * 60 * 1000;
/**
 * Longer than an attempt and the statements around it. A turn is extended before each attempt, so
 * clocks of control planes may differ by less than the rest.
 */
export const turnMs = 30_000;

export function createOutbox(dependencies: OutboxDependencies): Outbox {
  const { db, endpoints, clock, newId, log } = dependencies;
  const running = new Map<number, Promise<void>>();
  const failures = new Map<number, number>();
  let current: Promise<void> | null = null;
  const closing = new AbortController();
  const { signal } = closing;

  const onFailed = (endpointId: number): void =>
    void failures.set(endpointId, (failures.get(endpointId) ?? 0) + 1);
  const work = async (endpointId: number, holder: string): Promise<void> => {
    const turn = { endpointId, holder };
    try {
      const hasServed = await deliverInTurn({ ...dependencies, turnMs, signal, onFailed }, turn);
      // Otherwise the turn ends by itself, so that the endpoint is not asked again at once.
      if (hasServed) await endTurn(db, turn);
    } catch (error) {
      // The turn ends by itself.
      log.warn({ endpoint: endpointId, error }, 'could not deliver to a webhook');
    }
    running.delete(endpointId);
  };
  const runOnce = async (): Promise<void> => {
    if (signal.aborted) return;
    await store(dependencies);
    const known = await endpoints.list();
    for (const id of failures.keys()) if (!known.some((one) => one.id === id)) failures.delete(id);
    await makeDeliveries(dependencies, known);
    const idle = known.filter(({ id, isEnabled }) => isEnabled && !running.has(id));
    if (signal.aborted || idle.length === 0) return;
    const now = clock();
    const holder = newId();
    const taken = await takeTurns(db, {
      endpointIds: idle.map(({ id }) => id),
      holder,
      now: new Date(now),
      until: new Date(now + turnMs),
    });
    for (const id of taken) running.set(id, work(id, holder));
  };
  return {
    run: () => (current = runOnce()),
    settled: async () => {
      await Promise.all(running.values());
    },
    failures: () => failures,
    close: async () => {
      closing.abort();
      await current?.catch(() => undefined);
      // Another control plane delivers what is stored.
      await store(dependencies).catch(() => undefined);
      await Promise.all(running.values());
    },
  };
}

/** Leaves in memory what cannot be stored now. */
async function store({ db, notifier: { waiting } }: OutboxDependencies): Promise<void> {
  for (let rows = waiting.take(); rows.length > 0; rows = waiting.take()) {
    let isStored = false;
    try {
      isStored = await insertNotifications(db, rows);
    } finally {
      if (!isStored) waiting.putBack(rows);
    }
    if (!isStored) return;
  }
}

async function makeDeliveries(
  dependencies: OutboxDependencies,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const { db, notifier, clock, queuedMax = queuedMaxDefault } = dependencies;
  const types = Object.keys(notificationTypes);
  const route = (waiting: readonly NotificationRow[]) => {
    const now = clock();
    return {
      deliveries: waiting.flatMap(({ id, type }) =>
        endpoints
          .filter((one) => one.isEnabled && isSelected(one.types, type))
          .map((one) => ({ endpointId: one.id, notificationId: id })),
      ),
      at: new Date(now),
      retryUntil: new Date(now + retryMs),
    };
  };
  for (;;) {
    const routed = await routeNotifications(db, { types, route, queuedMax });
    if (routed.length === 0) return;
    for (const row of routed) {
      const queued = row.is_passed_on ? null : queuedOf(row);
      if (queued !== null) notifier.passOn(queued);
    }
  }
}
