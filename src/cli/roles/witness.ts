// Stores which log positions the gateway of role all has seen, in the snapshot cache, like a proxy.
// This detects a log that was rewritten or rolled back while the process was down. Nothing is
// served from this cache.

import { coalesce } from '../../control/coalesce.ts';
import type { Published } from '../../control/publishing/published.ts';
import type { SnapshotCache } from '../../gateway/control-link/cache.ts';
import type { CachedSnapshot } from '../../gateway/control-link/delta-file.ts';
import type { LogPosition } from '../../gateway/control-link/lineage.ts';
import type { Live } from '../../gateway/config/live.ts';
import type { Log } from '../../telemetry/log.ts';

type Witness = Readonly<{
  /** Stores the log position of the last applied snapshot. */
  keep: (published: Pick<Published, 'snapshot'>) => void;
  /** Resolves when everything is on disk or has failed. */
  close: () => Promise<void>;
}>;

type Dependencies = Readonly<{ cache: SnapshotCache; live: Live; log: Log }>;

/** Read failures are logged and never fail the start. */
export async function openWitness({ cache, live, log }: Dependencies): Promise<Witness> {
  const { cached, refused } = await cache.read();
  if (cached === null)
    log.info({ refused }, 'no usable snapshot cache; the log position starts unknown');
  else live.remember(cached.seen);

  let latest: Pick<Published, 'snapshot'> | null = null;
  let written = live.seen();
  let isFailing = false;
  const write = coalesce(async () => {
    const seen = live.seen();
    // A snapshot at the same log position adds nothing.
    if (latest === null || seen === written) return;
    try {
      await cache.write({ snapshot: latest.snapshot, seen, root: null });
      written = seen;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ error }, 'writing the snapshot cache failed');
      isFailing = true;
    }
  });
  return {
    keep: (published) => {
      if (latest === null) warnOfAnotherLog(cached, published.snapshot, log);
      latest = published;
      void write();
    },
    close: write,
  };
}

/** Discards observations of another log. */
function warnOfAnotherLog(
  cached: CachedSnapshot | null,
  { log: { id } }: LogPosition,
  log: Log,
): void {
  const before = cached?.snapshot.log.id ?? id;
  if (before === id) return;
  log.warn({ log: id, before }, 'the database holds a different log than at the last start');
}
