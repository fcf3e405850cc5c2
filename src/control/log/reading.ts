// Reads the log to its head: applies other replicas' events to the state and, if they come from
// another release, to this release's read models. Concurrent requests share one run.
//
// If the log no longer contains what was read before, the database lost events, for example in a
// failover to a standby that lagged. Then all state is dropped and the log is read from its beginning.

import { catchUpReadModel } from '../../../projections/read-model.ts';
import { retireReadModels } from '../../../projections/read-model-retire.ts';
import { readHead } from '../../db/log/event-log.ts';
import { LogForkedError } from '../../db/log/log-forked.ts';
import type { LogPlace } from '../../db/log/log-forked.ts';
import type { Database } from '../../db/pool.ts';
import { coalesce } from '../coalesce.ts';
import type { ConfigStore } from '../publishing/config-store.ts';
import type { Publisher } from '../publishing/publish.ts';

export type Reading = Readonly<{
  /** Brings state and read models to the head at the time of the call or later. */
  catchUp: () => Promise<void>;
  /** The same, and publishes new events. */
  refresh: () => Promise<void>;
  /**
   * The listener runs before the log is read again. If it fails, the log is not read, and the next
   * call retries.
   */
  onForked: (listener: (lost: Lost) => Promise<void>) => void;
}>;

type Dependencies = Readonly<{
  db: Database;
  /** At the start of the process. */
  logId: string;
  store: ConfigStore;
  publisher: Pick<Publisher, 'current' | 'publish'>;
  onHead: (position: number) => void;
  onCurrent: () => void;
}>;

/** The last position and hash that this process read and the log no longer contains. */
export type Lost = Readonly<{ logId: string; version: number }> & LogPlace;

export function createReading(dependencies: Dependencies): Reading {
  const { db, logId, store, publisher, onHead, onCurrent } = dependencies;
  let tellForked: ((lost: Lost) => Promise<void>) | null = null;
  const reread = async (): Promise<void> => {
    const head = await readHead(db);
    if (head.logId !== logId) throw anotherLog(logId, head.logId);
    const { position, hash, version } = store.state();
    await tellForked?.({ logId, position, hash, version });
    await store.reread(db, head.position);
  };
  const catchUpState = coalesce(async () => {
    // Events that this process appends during the read are after that head. They are not lost
    // events.
    const from = store.cursor();
    const head = await readHead(db);
    onHead(head.position);
    await store.catchUp(db, head, from).catch((error: unknown) => {
      if (error instanceof LogForkedError) return reread();
      throw error;
    });
  });
  const advanceTables = coalesce(async () => {
    store.noteTables(await catchUpReadModel(db, store.tables()));
  });
  const catchUpTables = async (): Promise<void> => {
    // This process writes its own events together with their rows.
    if (store.tables().state.position < store.state().position) await advanceTables();
  };
  return {
    onForked: (listener) => void (tellForked = listener),
    catchUp: async () => {
      await catchUpState();
      await catchUpTables();
    },
    refresh: async () => {
      await catchUpState();
      // Before the tables, whose failure must not delay proxies.
      await publisher.publish();
      if (publisher.current()?.version === store.state().version) onCurrent();
      await catchUpTables();
    },
  };
}

const anotherLog = (own: string, found: string): Error =>
  new Error(
    `the database contains event log ${found}, but this process was started with ${own}; restart it ` +
      'if this is the right database',
  );

const retireMs = 60 * 60 * 1000;

type Retiring = Readonly<{ db: Database; onFailure: (error: unknown) => void }>;

/**
 * Regularly marks this release's read models as in use, and drops those of releases that no longer
 * run.
 */
export function retireNowAndThen({ db, onFailure }: Retiring) {
  const retire = (): Promise<void> => retireReadModels(db).then(() => undefined, onFailure);
  let running = retire();
  const timer = setInterval(() => {
    running = retire();
  }, retireMs);
  timer.unref();
  return {
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
