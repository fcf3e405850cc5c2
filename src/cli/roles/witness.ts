// What the gateway of role all has seen of the log outlives the process in the snapshot cache, as that of a proxy does: a log that
// was rewritten or set back while the process was down contradicts it. Nothing is served from this cache.

import { coalesce } from '../../control/coalesce.ts';
import type { CachedSnapshot, SnapshotCache } from '../../gateway/control-link/cache.ts';
import type { Live } from '../../gateway/config/live.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import type { Log } from '../../telemetry/log.ts';

type Witness = Readonly<{
  /** Keeps what the snapshot that was applied last says of the log. */
  keep: (snapshot: Snapshot) => void;
  /** Resolves when all of it is on the disk, or cannot be. */
  close: () => Promise<void>;
}>;

type Dependencies = Readonly<{ cache: SnapshotCache; live: Live; log: Log }>;

/** Reads what was cached. A disk that refuses is logged, and never fails this. */
export async function openWitness({ cache, live, log }: Dependencies): Promise<Witness> {
  const { cached, refused } = await cache.read();
  if (cached === null) log.info({ refused }, 'no snapshot cache says what the log was');
  else live.remember(cached.seen);

  let latest: Snapshot | null = null;
  let written = live.seen();
  let isFailing = false;
  const write = coalesce(async () => {
    const seen = live.seen();
    // A snapshot of the same place of the log tells nothing new of it.
    if (latest === null || seen === written) return;
    try {
      await cache.write({ snapshot: latest, seen });
      written = seen;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ error }, 'the snapshot cache was not written');
      isFailing = true;
    }
  });
  return {
    keep: (snapshot) => {
      if (latest === null) tellAnotherLog(cached, snapshot, log);
      latest = snapshot;
      void write();
    },
    close: write,
  };
}

/** What was seen of another log says nothing of this one, and is forgotten. */
function tellAnotherLog(cached: CachedSnapshot | null, { log: { id } }: Snapshot, log: Log): void {
  const before = cached?.snapshot.log.id ?? id;
  if (before === id) return;
  log.warn({ log: id, before }, 'the database holds another log than the one of the last start');
}
