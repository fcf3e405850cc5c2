// Publishing: builds the snapshot of the newest state, and wakes whoever waits for it. What changes without a new version, the
// overlay, is asked for with every publish; when it is another one, it is published under the same version.
//
// A build costs as much as there are members. So behind that of a large configuration there is a rest, and what is asked for
// meanwhile is published at its end, together. Nobody waits for that: proxies ask every few seconds.

import { EventEmitter } from 'eventemitter3';

import type { ConfigState } from '../../../projections/config/state.ts';
import { degradedProviders } from '../../../projections/snapshot.ts';
import type { Database } from '../../db/pool.ts';
import type { Vault } from '../../db/vault.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { snapshotEtag } from '../../snapshot/schema.ts';
import type { Snapshot, SnapshotConfig, SnapshotOverlay } from '../../snapshot/schema.ts';
import type { BudgetOverlay, Budgets } from '../usage/budgets.ts';
import type { Centroids } from './centroids.ts';
import type { CloudTokens } from '../providers/cloud-token.ts';
import type { ConfigStore } from './config-store.ts';
import { createRest } from '../rest.ts';
import { createSnapshotBuilder } from './snapshot-build.ts';

/** `body` is the serialised snapshot: made when the first proxy asks for it, and sent to every one. */
export type Published = Readonly<{ snapshot: Snapshot; etag: string; body: () => Buffer }>;

export type Publisher = Readonly<{
  /** What is published now; null before the first time, and while the log does not hold what it was made of. */
  current: () => Published | null;
  /**
   * Publishes the store's state, if its version is newer or its overlay another: at once, or at the end of the rest behind the last
   * one, for which this does not wait. Never rejects.
   */
  publish: () => Promise<void>;
  /** The same, without a rest: it is published when this resolves, unless that failed. */
  publishNow: () => Promise<void>;
  /** How often a snapshot could not be built since the start. */
  failures: () => number;
  /** Calls `listener` with each snapshot, from the next one on; answers with what ends that. */
  onPublished: (listener: (published: Published) => void) => () => void;
  /** Ends a rest; what waits for its end is not published. */
  close: () => void;
}>;

type Dependencies = {
  db: Database;
  vault: Vault;
  store: ConfigStore;
  logId: string;
  budgets: Pick<Budgets, 'overlay'>;
  centroids: Centroids;
  cloudTokens: Pick<CloudTokens, 'overlayOf'>;
  clock: Clock;
  /** Told how long it took to build and publish each new version. */
  onBuilt?: (durationMs: number) => void;
  /** The log holds a change that could not be published: the old snapshot stays, and the next call tries again. */
  onFailure: (error: unknown) => void;
};

export function createPublisher(dependencies: Dependencies): Publisher {
  const { db, vault, store, logId, budgets, centroids, cloudTokens, clock, onFailure } =
    dependencies;
  const published = new EventEmitter<{ snapshot: [Published] }>();
  let last: (Published & Readonly<{ rereads: number }>) | null = null;
  const { build, cloudProviders } = createSnapshotBuilder({ db, vault, logId, centroids });
  let before: Numbered = { seq: 0, own: emptyParts, budgetSeq: 0 };
  let queue: Promise<void> = Promise.resolve();
  let failures = 0;

  const ownParts = async (state: ConfigState, config: SnapshotConfig): Promise<OwnParts> => {
    const { tokens, dropped_providers: dropped } = await cloudTokens.overlayOf(
      cloudProviders(config),
    );
    return { tokens, dropped_providers: [...dropped, ...degradedProviders(state)] };
  };

  const current = (): Published | null =>
    store.isForked() || last?.rereads !== store.rereads() ? null : last;

  const publishOnce = async (): Promise<void> => {
    if (store.isForked()) return;
    const cursor = store.cursor();
    const rereads = store.rereads();
    const held = current()?.snapshot ?? null;
    const startedAt = performance.now();
    try {
      const isNewer = held === null || cursor.state.version > held.version;
      // From the beginning, so that nobody waits for a build that another began.
      if (isNewer) rest.take(restMsOf(cursor.state));
      const base = isNewer ? await build(cursor) : held;
      const own = await ownParts(cursor.state, base.config);
      const told = budgets.overlay(cursor.state);
      const seq = overlaySeq({ own, budgetSeq: told.seq }, before, clock);
      if (!isNewer && seq === held.overlay.seq) return;
      const overlay = { seq, budgets: told.uses, ...own };
      // The log was read again meanwhile: this was made of what it does not hold.
      if (rereads !== store.rereads() || store.isForked()) return;
      before = { seq, own, budgetSeq: told.seq };
      const next = { ...toPublished({ ...base, overlay }), rereads };
      last = next;
      published.emit('snapshot', next);
      if (isNewer) dependencies.onBuilt?.(performance.now() - startedAt);
    } catch (error) {
      failures += 1;
      onFailure(error);
    }
  };

  const publishNow = (): Promise<void> => {
    queue = queue.then(publishOnce);
    return queue;
  };
  const rest = createRest(() => void publishNow());

  return {
    current,
    failures: () => failures,
    publish: async () => {
      if (rest.isOver()) await publishNow();
    },
    publishNow,
    close: rest.close,
    onPublished: (listener) => {
      published.on('snapshot', listener);
      return () => void published.off('snapshot', listener);
    },
  };
}

/** Smaller configurations are built within a millisecond or two. */
const restMembersMin = 1_000;
const restMsMax = 1_000;

/** Some ten times what a build takes: so much of a core is left for everything else. */
function restMsOf(state: ConfigState): number {
  const members = state.api_key.byId.size + state.model.byId.size + state.principal.byId.size;
  return members < restMembersMin ? 0 : Math.min(restMsMax, members / 50);
}

/** The tokens that a replica has of its own, and the providers that are out of rotation. */
type OwnParts = Omit<SnapshotOverlay, 'seq' | 'budgets'>;

const emptyParts: OwnParts = { tokens: [], dropped_providers: [] };

type Contents = Readonly<{ own: OwnParts; budgetSeq: BudgetOverlay['seq'] }>;
type Numbered = Contents & Readonly<{ seq: number }>;

/**
 * The same as before for the same overlay. The number of the budgets is the same on every replica, and as long as there is
 * nothing else it is the overlay's: a proxy that goes from one replica to another fetches nothing twice. Tokens each replica has of
 * its own, and each learns by itself who is out of rotation. With them the number is taken from the clock, so that two replicas do
 * not give two overlays one ETag, and a proxy that goes from one to the other takes what it finds there.
 */
function overlaySeq({ own, budgetSeq }: Contents, before: Numbered, clock: Clock): number {
  if (canonicalJson(own) !== canonicalJson(before.own)) {
    return Math.max(before.seq + 1, budgetSeq, clock());
  }
  if (budgetSeq === before.budgetSeq) return before.seq;
  return before.seq === before.budgetSeq ? budgetSeq : Math.max(before.seq + 1, budgetSeq);
}

function toPublished(snapshot: Snapshot): Published {
  let body: Buffer | null = null;
  return {
    snapshot,
    etag: snapshotEtag(snapshot),
    body: () => (body ??= Buffer.from(JSON.stringify(snapshot))),
  };
}
