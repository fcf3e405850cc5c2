// Publishes snapshots: builds the snapshot of the newest state and wakes those who wait for it. Each
// publish also reads the overlay, which changes without a new version. A changed overlay is published
// under the same version.
//
// The cost of a build grows with the number of entities. So after publishing a large configuration
// there is a pause, and requests during it are published together at its end.

import { EventEmitter } from 'eventemitter3';

import type { ConfigState } from '../../../projections/config/state.ts';
import { degradedProviders } from '../../../projections/snapshot.ts';
import type { Database } from '../../db/pool.ts';
import type { Vault } from '../../db/vault.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Readable } from '../../snapshot/delta/between.ts';
import { nextEdition } from '../../snapshot/delta/edition.ts';
import type { Edition } from '../../snapshot/delta/edition.ts';
import type { SnapshotConfig, SnapshotOverlay } from '../../snapshot/schema.ts';
import type { BudgetOverlay, Budgets } from '../usage/budgets.ts';
import type { Centroids } from './centroids.ts';
import type { CloudTokens } from '../providers/cloud-token.ts';
import type { ConfigStore } from './config-store.ts';
import { createPause } from '../pause.ts';
import { publishPauseMs } from './publish-pause.ts';
import type { PublishCost } from './publish-pause.ts';
import { nextHistory, toPublished } from './published.ts';
import type { DeltaHistory, Published } from './published.ts';
import { createSnapshotBuilder } from './snapshot-build.ts';

export type Publisher = Readonly<{
  /**
   * Null before the first publish, and while the log does not contain the events it was built from.
   */
  current: () => Published | null;
  /**
   * Publishes the store's state if its version is newer or its overlay changed: at once, or at the
   * end of the current pause without waiting for it. Never rejects.
   */
  publish: () => Promise<void>;
  /** The same without a pause. When it resolves, the state is published unless that failed. */
  publishNow: () => Promise<void>;
  /** Since the start. */
  failures: () => number;
  /** Returns a function that unsubscribes the listener. */
  onPublished: (listener: (published: Published) => void) => () => void;
  /** Cancels the pause and the publish that waits for it. */
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
  onBuilt?: (durationMs: number) => void;
  /** The old snapshot stays current, and the next call retries. */
  onFailure: (error: unknown) => void;
};

export function createPublisher(dependencies: Dependencies): Publisher {
  const { db, vault, store, logId, budgets, centroids, cloudTokens, clock, onFailure } =
    dependencies;
  const published = new EventEmitter<{ snapshot: [Published] }>();
  let last: Last | null = null;
  const { build, cloudProviders } = createSnapshotBuilder({ db, vault, logId, centroids });
  let before: Numbered = { seq: 0, own: emptyParts, budgetSeq: 0 };
  let queue: Promise<void> = Promise.resolve();
  let failures = 0;
  let buildMs: number | null = null;

  const ownParts = async (state: ConfigState, config: SnapshotConfig): Promise<OwnParts> => {
    const { tokens, dropped_providers: dropped } = await cloudTokens.overlayOf(
      cloudProviders(config),
    );
    return { tokens, dropped_providers: [...dropped, ...degradedProviders(state)] };
  };

  const newest = (): Last | null =>
    store.isForked() || last?.rereads !== store.rereads() ? null : last;
  const current = (): Published | null => newest()?.published ?? null;

  const publishOnce = async (): Promise<void> => {
    if (store.isForked()) return;
    const cursor = store.cursor();
    const rereads = store.rereads();
    const held = newest()?.edition ?? null;
    const startedAt = performance.now();
    try {
      const isNewer = held === null || cursor.state.version > held.snapshot.version;
      // Before the build, so that no request waits for a build that another request started.
      if (isNewer) rest.take(publishPauseMs(costOf(cursor.state, last, buildMs)));
      const { base, missing } = isNewer
        ? await build(cursor)
        : { base: held.snapshot, missing: held.missing };
      const own = await ownParts(cursor.state, base.config);
      const told = budgets.overlay(cursor.state);
      const seq = overlaySeq({ own, budgetSeq: told.seq }, before, clock);
      if (!isNewer && seq === held.snapshot.overlay.seq) return;
      const overlay = { seq, budgets: told.uses, ...own };
      // The log was reread during the build, so the snapshot contains events that are no longer in
      // it.
      if (rereads !== store.rereads() || store.isForked()) return;
      before = { seq, own, budgetSeq: told.seq };
      last = nextOf(newest(), { snapshot: { ...base, overlay }, missing }, rereads);
      published.emit('snapshot', last.published);
      if (!isNewer) return;
      buildMs = performance.now() - startedAt;
      dependencies.onBuilt?.(buildMs);
    } catch (error) {
      failures += 1;
      onFailure(error);
    }
  };

  const publishNow = (): Promise<void> => {
    queue = queue.then(publishOnce);
    return queue;
  };
  const rest = createPause(() => void publishNow());

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

/** The newest edition, and how many times the log had been read again when it was made. */
type Last = Readonly<{
  edition: Edition;
  history: DeltaHistory;
  published: Published;
  rereads: number;
}>;

function nextOf(before: Last | null, next: Readable, rereads: number): Last {
  const edition = nextEdition(before?.edition ?? null, next);
  const history = before === null ? [] : nextHistory(before.history, before.edition, edition);
  return { edition, history, published: toPublished(edition, history), rereads };
}

const costOf = (state: ConfigState, last: Last | null, buildMs: number | null): PublishCost => ({
  members: state.api_key.byId.size + state.model.byId.size + state.principal.byId.size,
  buildMs,
  isWholeSent: last?.published.whole.isMade() ?? false,
});

/** The parts of the overlay that differ between replicas: tokens, and providers out of rotation. */
type OwnParts = Omit<SnapshotOverlay, 'seq' | 'budgets'>;

const emptyParts: OwnParts = { tokens: [], dropped_providers: [] };

type Contents = Readonly<{ own: OwnParts; budgetSeq: BudgetOverlay['seq'] }>;
type Numbered = Contents & Readonly<{ seq: number }>;

/**
 * The sequence number of the overlay. That of the budgets is equal on all replicas. It is used
 * while the overlay has no other parts, so that a proxy that changes replicas fetches nothing
 * twice. Tokens differ between replicas, and each learns by itself which providers are out of
 * rotation. With such parts the number comes from the clock, so that two replicas never give
 * different overlays the same ETag.
 */
function overlaySeq({ own, budgetSeq }: Contents, before: Numbered, clock: Clock): number {
  if (canonicalJson(own) !== canonicalJson(before.own)) {
    return Math.max(before.seq + 1, budgetSeq, clock());
  }
  if (budgetSeq === before.budgetSeq) return before.seq;
  return before.seq === before.budgetSeq ? budgetSeq : Math.max(before.seq + 1, budgetSeq);
}
