// Composes the outbox of webhooks in a control plane, with its upkeep and its measurements.

import { randomUUID } from 'node:crypto';

import { deleteExpired } from '../../db/webhooks/deliveries.ts';
import type { QueueSize } from '../../db/webhooks/deliveries.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { coalesce } from '../coalesce.ts';
import type { ControlPlane } from '../plane.ts';
import { queuesOf } from './deliveries.ts';
import { createEndpoints } from './destinations.ts';
import type { Notifier } from './notify.ts';
import { createOutbox } from './outbox.ts';

export type Webhooks = Readonly<{
  /** Delivers what is due. Rejects if the database fails. */
  run: () => Promise<void>;
  /** Delivers what is due, soon. */
  wake: () => void;
  /** Deletes old deliveries. */
  purge: () => Promise<void>;
  /** Reads the queues for the metrics. */
  measure: () => Promise<void>;
  measured: () => WebhookMeasures;
  /** Waits for attempts in progress. */
  close: () => Promise<void>;
}>;

/** The queues at the last measurement. The counts are those of this process. */
export type WebhookMeasures = Readonly<{
  queues: readonly QueueSize[];
  failures: ReadonlyMap<number, number>;
  /** Notifications that were never stored. */
  dropped: number;
}>;

type Dependencies = Readonly<{
  plane: ControlPlane;
  notifier: Notifier;
  egress: Pick<Egress, 'dispatcher'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}>;

/** Deliveries are kept for this long after they were queued. */
const keptMs = 7 * 24 * 60 * 60 * 1000;
/** Leaves time for a control plane that has not read the creation of an endpoint yet. */
const orphanedMs = 60 * 60 * 1000;
/** Rows deleted at once. */
const purgedMax = 10_000;

export function openWebhooks({ plane, notifier, egress, clock, log }: Dependencies): Webhooks {
  const { reports } = plane;
  const endpoints = createEndpoints({ plane, clock });
  const outbox = createOutbox({
    db: reports,
    notifier,
    endpoints,
    dispatcher: egress.dispatcher,
    clock,
    random: Math.random,
    newId: randomUUID,
    log,
  });
  let queues: readonly QueueSize[] = [];
  const run = coalesce(outbox.run);
  // The job that delivers regularly reports failures.
  const wake = (): void => void run().catch(() => undefined);
  notifier.waiting.onNotified(wake);
  return {
    run,
    wake,
    purge: async () => {
      const known = await endpoints.list();
      const now = clock();
      await deleteExpired(reports, {
        before: new Date(now - keptMs),
        endpointIds: known.map(({ id }) => id),
        orphanedBefore: new Date(now - orphanedMs),
        limit: purgedMax,
      });
    },
    measure: async () => {
      const { byId } = plane.store.state().webhook_endpoint;
      const found = [...(await queuesOf(reports)).values()];
      queues = found.filter(({ endpointId }) => byId.has(endpointId));
    },
    measured: () => ({
      queues,
      failures: outbox.failures(),
      dropped: notifier.waiting.dropped(),
    }),
    close: outbox.close,
  };
}
