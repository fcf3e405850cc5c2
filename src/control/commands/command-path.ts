// Opens only the command path, for command-line work that needs no secret. It needs the database
// but no encryption key, and publishes nothing. Running control processes learn of its events as
// they do of each other's.

import { randomUUID } from 'node:crypto';

import { readModelSchema } from '../../../projections/read-model.ts';
import { openDatabase } from '../../db/pool.ts';
import type { Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { createConfigStore } from '../publishing/config-store.ts';
import type { ConfigStore } from '../publishing/config-store.ts';
import { createExecute } from './commit-queue.ts';
import type { Execute } from './execute.ts';
import { prepareDatabase } from '../plane.ts';

export type CommandPath = Readonly<{ store: Pick<ConfigStore, 'state'>; execute: Execute }>;

type Options = Readonly<{ databaseUrl: string; appVersion: string; clock: Clock }>;

/** Throws if the database is unreachable or newer than this program. */
export async function withCommandPath<Value>(
  { databaseUrl: url, appVersion, clock }: Options,
  work: (path: CommandPath) => Promise<Value>,
): Promise<Value> {
  const store = createConfigStore(await prepareDatabase(url));
  const db = openDatabase({
    url,
    applicationName: 'gw',
    schema: readModelSchema,
    purpose: 'commands',
    connectionsMax: 2,
  });
  const execute = createExecute({
    db,
    vault: noVault,
    store,
    publish: nothingToPublish,
    clock,
    newId: randomUUID,
    appVersion,
  });
  try {
    return await work({ store, execute });
  } finally {
    await db.dispose();
  }
}

const nothingToPublish = async (): Promise<void> => {};

const noVault: Pick<Vault, 'storing'> = {
  storing: (secrets) => {
    const kinds = secrets.map((secret) => secret.class).join();
    throw new Error(`${kinds} cannot be sealed: this command was opened without a vault`);
  },
};
