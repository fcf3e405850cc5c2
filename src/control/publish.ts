// Publishing: builds the snapshot of the newest state, once a version, and wakes whoever waits for it.

import { EventEmitter } from 'eventemitter3';

import { contentHashText } from '../../projections/content-hash.ts';
import type { Cursor } from '../../projections/rows.ts';
import { secretRefs, snapshotConfig } from '../../projections/snapshot.ts';
import type { Database } from '../db/pool.ts';
import type { Vault } from '../db/vault.ts';
import { snapshotEtag, snapshotSchemaVersion } from '../snapshot/schema.ts';
import type { Snapshot } from '../snapshot/schema.ts';
import type { ConfigStore } from './config-store.ts';

/** `body` is the serialised snapshot: made when the first proxy asks for it, and sent to every one. */
export type Published = Readonly<{ snapshot: Snapshot; etag: string; body: () => Buffer }>;

export type Publisher = Readonly<{
  /** What is published now; null before the first time. */
  current: () => Published | null;
  /** Publishes the store's state, if its version is newer. One build at a time. Never rejects. */
  publish: () => Promise<void>;
  /** Calls `listener` with each snapshot, from the next one on; answers with what ends that. */
  onPublished: (listener: (published: Published) => void) => () => void;
}>;

type Dependencies = {
  db: Database;
  vault: Vault;
  store: ConfigStore;
  logId: string;
  /** The log holds a change that could not be published: the old snapshot stays, and the next call tries again. */
  onFailure: (error: unknown) => void;
};

export function createPublisher({ db, vault, store, logId, onFailure }: Dependencies): Publisher {
  const published = new EventEmitter<{ snapshot: [Published] }>();
  let current: Published | null = null;
  let secrets = new Map<string, string>();
  let queue: Promise<void> = Promise.resolve();

  const build = async ({ state, content }: Cursor): Promise<Published> => {
    const config = snapshotConfig(state);
    const refs = secretRefs(config);
    const unknown = refs.filter((ref) => !secrets.has(ref));
    const revealed = await vault.reveal(db, unknown);
    const known = refs.map((ref) => [ref, secrets.get(ref) ?? revealed.get(ref)] as const);
    // An item that was erased or cannot be opened is left out: what needs it drops out of routing, alone.
    secrets = new Map(known.filter((entry): entry is [string, string] => entry[1] !== undefined));
    const snapshot: Snapshot = {
      schema: snapshotSchemaVersion,
      version: state.version,
      config_hash: contentHashText(content, state),
      log: { id: logId, position: state.position, hash: state.hash },
      config,
      secrets: Object.fromEntries(secrets),
      overlay: { seq: 0, budgets: [], tokens: [], dropped_providers: [] },
    };
    let body: Buffer | null = null;
    return {
      snapshot,
      etag: snapshotEtag(snapshot),
      body: () => (body ??= Buffer.from(JSON.stringify(snapshot))),
    };
  };

  const publishOnce = async (): Promise<void> => {
    const cursor = store.cursor();
    if (current !== null && cursor.state.version <= current.snapshot.version) return;
    try {
      current = await build(cursor);
      published.emit('snapshot', current);
    } catch (error) {
      onFailure(error);
    }
  };

  return {
    current: () => current,
    publish: () => {
      queue = queue.then(publishOnce);
      return queue;
    },
    onPublished: (listener) => {
      published.on('snapshot', listener);
      return () => void published.off('snapshot', listener);
    },
  };
}
