// Creates a test database and appends commands to its log without a control plane.

import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';

import type { GwEvent, RecordedEvent } from '../../../events/catalogue.ts';
import { seal } from '../../../events/seal.ts';
import { fold, streamVersion } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { appendEvents, lockLog, toRecorded } from '../../../src/db/log/event-log.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/pool.ts';
import type { Database } from '../../../src/db/pool.ts';
import { testMetadata } from '../events/test-log.ts';
import { migratedDatabase } from './postgres.ts';

export type LogDatabase = Readonly<{ db: Database; url: string; close: () => Promise<void> }>;

type Options = Readonly<{ schema?: string; connectionsMax?: number }>;

/** Connects with the program's login: an owner that switches to the program's role to append. */
export async function openLogDatabase(options: Options = {}): Promise<LogDatabase> {
  const { url, drop } = await migratedDatabase();
  const db = openDatabase({
    url,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 4,
    ...options,
  });
  // The role's right to create schemas is not part of a copied template.
  await migrate(db);
  const close = async (): Promise<void> => {
    await db.dispose();
    await drop();
  };
  return { db, url, close };
}

/** Opens a log database that is closed when the test ends. */
export async function testLogDatabase(
  test: Pick<TestContext, 'after'>,
  options: Options = {},
): Promise<Database> {
  const { db, close } = await openLogDatabase(options);
  test.after(close);
  return db;
}

/** Appends one command after `state`, like a program without read models. */
export async function appendCommand(
  db: Database,
  state: ConfigState,
  events: readonly GwEvent[],
): Promise<ConfigState> {
  return fold(
    state,
    await db.tx(async (tx): Promise<RecordedEvent[]> => {
      const sealed = seal(events, await lockLog(tx), {
        txId: randomUUID(),
        at: Date.now(),
        newId: randomUUID,
        streamVersion: (stream) => streamVersion(state, stream),
        metadata: testMetadata('Test'),
      });
      await appendEvents(tx, sealed);
      return sealed.map(toRecorded);
    }),
  );
}
