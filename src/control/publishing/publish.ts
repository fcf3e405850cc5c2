// Publishes snapshots: builds the snapshot of the newest state and wakes those who wait for it. Each
// publish also reads the overlay, which changes without a new version. A changed overlay is published
// under the same version.
//
// A build costs what changed, but each waiting proxy gets an answer. So after publishing to many
// proxies, or a large configuration, there is a short pause, and changes during it are published
// together at its end.

import { EventEmitter } from 'eventemitter3';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { Database } from '../../db/pool.ts';
import type { Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { firstEdition, followedBy } from '../../snapshot/delta/edition.ts';
import type { PagedSnapshot } from '../../snapshot/paged.ts';
import type { Budgets } from '../usage/budgets.ts';
import type { Centroids } from './centroids.ts';
import type { CloudTokens } from '../providers/cloud-token.ts';
import type { ConfigStore } from './config-store.ts';
import { createPause } from '../pause.ts';
import { publishPauseMs } from './publish-pause.ts';
import { createDeltaHistory } from './history.ts';
import type { DeltaHistory } from './history.ts';
import { createOverlays } from './overlays.ts';
import { toPublished } from './published.ts';
import type { Published } from './published.ts';
import { createSnapshotBuilder } from './snapshot-build.ts';
import { createWholes } from './whole.ts';
import type { Wholes } from './whole.ts';

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
  /** The delta from this root to the current snapshot. Null if the root is unknown or too old. */
  deltaFrom: DeltaHistory['from'];
  /** The body of the current snapshot or a later one. */
  whole: Wholes['newest'];
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
  const history = createDeltaHistory(clock);
  const overlays = createOverlays({ budgets, cloudTokens, cloudProviders, clock });
  let queue: Promise<void> = Promise.resolve();
  let failures = 0;
  let costMs = 0;

  const newest = (): Last | null =>
    store.isForked() || last?.rereads !== store.rereads() ? null : last;
  const current = (): Published | null => newest()?.published ?? null;
  const wholes = createWholes({ current, monotonic: () => performance.now() });

  const publishOnce = async (): Promise<void> => {
    history.expire();
    if (store.isForked()) return;
    const cursor = store.cursor();
    const rereads = store.rereads();
    const held = current()?.edition ?? null;
    const startedAt = performance.now();
    try {
      const isNewer = held === null || cursor.state.version > held.version;
      // Before the build, so that no request waits for a build that another request started.
      const waiting = published.listenerCount('snapshot');
      const members = membersOf(cursor.state);
      if (isNewer) rest.take(publishPauseMs({ members, waiting, costMs }));
      const base = isNewer ? await build(cursor) : held;
      const { overlay, note } = await overlays.next(cursor.state);
      if (!isNewer && overlay.seq === held.overlay.seq) return;
      // The log was reread during the build, so the snapshot contains events that are no longer in
      // it.
      if (rereads !== store.rereads() || store.isForked()) return;
      note();
      last = { published: nextOf(current(), { ...base, overlay }, history), rereads };
      wholes.forget();
      published.emit('snapshot', last.published);
      if (isNewer) dependencies.onBuilt?.(performance.now() - startedAt);
      // The answers to waiting proxies are written before this.
      setImmediate(() => void (costMs = performance.now() - startedAt));
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
    deltaFrom: history.from,
    whole: wholes.newest,
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

/** The newest snapshot, and how many times the log had been read again when it was made. */
type Last = Readonly<{ published: Published; rereads: number }>;

const membersOf = ({ api_key: keys, model: models, principal: principals }: ConfigState): number =>
  keys.byId.size + models.byId.size + principals.byId.size;

function nextOf(
  before: Published | null,
  snapshot: PagedSnapshot,
  history: DeltaHistory,
): Published {
  if (before === null) {
    history.clear();
    return toPublished(firstEdition(snapshot), null);
  }
  const { edition, delta } = followedBy(before.edition, snapshot);
  history.add(delta);
  return toPublished(edition, delta);
}
