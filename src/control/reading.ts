// Reading the log on to its head: what other replicas append, into the state of this one and, where they are of another release,
// into this release's read models. Many ask for it at once; it is done once for all of them.

import { catchUpReadModel } from '../../projections/read-model.ts';
import { retireReadModels } from '../../projections/read-model-retire.ts';
import { readHead } from '../db/event-log.ts';
import type { Database } from '../db/pool.ts';
import { coalesce } from './coalesce.ts';
import type { ConfigStore } from './config-store.ts';
import type { Publisher } from './publish.ts';

export type Reading = Readonly<{
  /** State and read models reach what was the head when this was asked, or later: every mutation that was answered before. */
  catchUp: () => Promise<void>;
  /** The same, and publishes what is new. */
  refresh: () => Promise<void>;
}>;

type Dependencies = Readonly<{
  db: Database;
  store: ConfigStore;
  publisher: Pick<Publisher, 'current' | 'publish'>;
  /** Told where the log ends, whenever it was asked. */
  onHead: (position: number) => void;
  /** Called whenever the log was read to its head and all of it is published. */
  onCurrent: () => void;
}>;

export function createReading(dependencies: Dependencies): Reading {
  const { db, store, publisher, onHead, onCurrent } = dependencies;
  const catchUpState = coalesce(async () => {
    const { position } = await readHead(db);
    onHead(position);
    await store.catchUp(db, position);
  });
  const advanceTables = coalesce(async () => {
    store.noteTables(await catchUpReadModel(db, store.tables()));
  });
  const catchUpTables = async (): Promise<void> => {
    // What this process appends reaches its tables with it.
    if (store.tables().state.position < store.state().position) await advanceTables();
  };
  return {
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
