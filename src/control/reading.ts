// Reading the log on to its head: what other replicas append, into the state of this one and, where they are of another release,
// into this release's read models. Many ask for it at once; it is done once for all of them.

import { catchUpReadModel } from '../../projections/read-model.ts';
import { retireReadModels } from '../../projections/read-model-retire.ts';
import { readHead } from '../db/event-log.ts';
import type { Database } from '../db/pool.ts';
import { coalesce } from './coalesce.ts';
import type { ConfigStore } from './config-store.ts';

export type Reading = Readonly<{
  /** The state reaches what was the head when this was asked, or later. */
  catchUpState: () => Promise<void>;
  /** The read models reach the state. */
  catchUpTables: () => Promise<void>;
  /** Both: what is read from them holds every mutation that was answered before. */
  catchUp: () => Promise<void>;
}>;

export function createReading({ db, store }: { db: Database; store: ConfigStore }): Reading {
  const catchUpState = coalesce(async () => {
    const { position } = await readHead(db);
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
    catchUpState,
    catchUpTables,
    catchUp: async () => {
      await catchUpState();
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
