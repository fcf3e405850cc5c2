// Runs outboxes of several control planes on one database with a clock of the test.

import type { TestContext } from 'node:test';

import { readQueueSizes, listDeliveries } from '../../../src/db/webhooks/deliveries.ts';
import { openDatabase } from '../../../src/db/pool.ts';
import type { Destination } from '../../../src/control/webhooks/deliver.ts';
import { createNotifier } from '../../../src/control/webhooks/notify.ts';
import { createOutbox } from '../../../src/control/webhooks/outbox.ts';
import type { Endpoint, OutboxDependencies } from '../../../src/control/webhooks/outbox.ts';
import { noSingleUrl } from '../../../src/control/webhooks/single-url.ts';
import type { SingleUrl } from '../../../src/control/webhooks/single-url.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { testDatabase } from '../postgres/postgres.ts';
import type { SeenRequest } from '../upstream/upstream.ts';

/** An endpoint with its destination. Tests change it while outboxes run. */
export type TestEndpoint = { -readonly [K in keyof Endpoint]: Endpoint[K] } & {
  destination: Destination;
};

export const secretOf = (text: string): string => `whsec_${Buffer.from(text).toString('base64')}`;

/** An enabled endpoint of the standard format, with one secret. */
export const endpointAt = (id: number, url: string): TestEndpoint => ({
  id,
  isEnabled: true,
  types: null,
  destination: { url, format: 'standard', secrets: [secretOf('s')], routingKey: null },
});

export const backendDown = (model: string) =>
  ({
    type: 'backend_down',
    data: { replica: 'r1', api_base: 'http://engine.test/v1', model },
  }) as const;

/** The ids and models of these deliveries, in the order of arrival. */
export const arrived = (seen: readonly SeenRequest[]) =>
  seen.map(({ headers, body }) => ({
    id: String(headers['webhook-id']),
    model: String(JSON.parse(String(body)).data.model),
  }));

type More = Partial<Pick<OutboxDependencies, 'queuedMax' | 'timeoutMs'>> &
  Readonly<{ singleUrl?: SingleUrl }>;

export async function testOutboxes(test: Pick<TestContext, 'after'>, endpoints: TestEndpoint[]) {
  const { url, drop } = await testDatabase();
  const closing: (() => Promise<unknown>)[] = [];
  test.after(async () => {
    for (const close of closing.toReversed()) await close();
    await drop();
  });
  const time = { now: Date.parse('2026-11-21T12:00:00Z') };
  const clock = (): number => time.now;
  const database = () => {
    const db = openDatabase({ url, purpose: 'reports', applicationName: 'gw', connectionsMax: 4 });
    closing.push(() => db.dispose());
    return db;
  };
  const db = database();

  /** The outbox of another control plane. */
  const replica = (more: More = {}) => {
    const { singleUrl = noSingleUrl, ...options } = more;
    const { dispatcher } = createEgress({ allow: [], deny: [] });
    const own = database();
    const warnings: Readonly<Record<string, unknown>>[] = [];
    const notifier = createNotifier({ singleUrl, clock, newId: () => crypto.randomUUID() });
    const outbox = createOutbox({
      db: own,
      notifier,
      endpoints: {
        list: async () => endpoints.map((one) => ({ ...one })),
        destination: async (id) => {
          const found = endpoints.find((one) => one.id === id);
          return found?.isEnabled === true ? found.destination : null;
        },
      },
      dispatcher,
      clock,
      random: () => 0.5,
      newId: () => crypto.randomUUID(),
      log: { warn: (fields) => void warnings.push(fields) },
      ...options,
    });
    const close = async (): Promise<void> => {
      await outbox.close();
      await dispatcher.destroy();
    };
    closing.push(close);
    return {
      ...outbox,
      notifier,
      warnings,
      close,
      /** Runs and waits until this process has no turn. */
      runWhole: async () => {
        await outbox.run();
        await outbox.settled();
      },
      /** A process that is gone: its attempt in progress breaks, and it writes nothing any more. */
      kill: async () => {
        await Promise.all([own.dispose(), dispatcher.destroy()]);
      },
    };
  };
  return {
    db,
    time,
    replica,
    /** Newest first. */
    deliveries: (endpointId = 1) =>
      listDeliveries(db, { endpointId, state: null, before: null, limit: 2_000 }),
    sizes: () => readQueueSizes(db),
  };
}
