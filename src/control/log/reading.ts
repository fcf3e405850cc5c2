// Reading the log on to its head: what other replicas append, into the state of this one and, where they are of another release,
// into this release's read models. Many ask for it at once; it is done once for all of them.
//
// A log that does not hold what was read before lost it, as in a fail-over to a standby that was behind. All that was read is dropped then,
// and the log is read again from its beginning.

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
  /** State and read models reach what was the head when this was asked, or later: every mutation that was answered before. */
  catchUp: () => Promise<void>;
  /** The same, and publishes what is new. */
  refresh: () => Promise<void>;
  /**
   * Sets who is told what the log no longer holds, before it is read again. When that fails, the log is not read again, and the next call
   * tries once more.
   */
  onForked: (listener: (lost: Lost) => Promise<void>) => void;
}>;

type Dependencies = Readonly<{
  db: Database;
  /** Of the log that the process was started on. */
  logId: string;
  store: ConfigStore;
  publisher: Pick<Publisher, 'current' | 'publish'>;
  /** Told where the log ends, whenever it was asked. */
  onHead: (position: number) => void;
  /** Called whenever the log was read to its head and all of it is published. */
  onCurrent: () => void;
}>;

/** Where the state of this process stood, which the log in the database does not hold. */
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
    // What this process appends while the head is read is later than that head, and no loss.
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
    // What this process appends reaches its tables with it.
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
      // Before the tables are brought up: one that cannot follow must not hold proxies up.
      await publisher.publish();
      if (publisher.current()?.snapshot.version === store.state().version) onCurrent();
      await catchUpTables();
    },
  };
}

const anotherLog = (own: string, found: string): Error =>
  new Error(
    `the database holds event log ${found}, and this process was started on ${own}; restart it ` +
      'if that database is the right one',
  );

const retireMs = 60 * 60 * 1000;

type Retiring = Readonly<{ db: Database; onFailure: (error: unknown) => void }>;

/** Says now and then that this release's read models are in use, and drops those of releases that are gone. */
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
