// Says what the start of this release would do to a database, without changing it.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readModelStanding } from '../../../projections/read-model.ts';
import { readHead } from '../../db/log/event-log.ts';
import { hasFleet, listMembers } from '../../db/fleet.ts';
import { planMigrations } from '../../db/migrate.ts';
import { createdTables, isLong, strongLocks } from '../../db/operations/migration-locks.ts';
import type { StrongLock } from '../../db/operations/migration-locks.ts';
import { snapshotSchemaVersion } from '../../snapshot/schema.ts';
import { silentMs } from '../fleet/fleet.ts';
import { releases } from './releases.ts';

export type UpgradeCheck = Readonly<{
  /** The number of the last migration of the database. */
  migration: number | null;
  pending: readonly Readonly<{ name: string; is_long: boolean; locks: readonly StrongLock[] }>[];
  /** The tables that are projected from the log. `seconds` is an estimate. */
  read_models: Readonly<{ events: number; seconds: number }>;
  /** Null if the database is too old to know them. */
  proxies: readonly Proxies[] | null;
  /** The oldest release that starts on the database after the upgrade. Null if only this one does. */
  oldest_release: string | null;
}>;

/** `version` is null for releases that do not report it, `follows` for releases that this one does not know. */
export type Proxies = Readonly<{
  version: string | null;
  replicas: number;
  follows: boolean | null;
}>;

/** Half of what bench/RESULTS.md has for a log of a million events, because machines differ. */
const builtEventsPerSecond = 10_000;

/** Throws if the database is newer than this release. */
export async function checkUpgrade(db: Queryable): Promise<UpgradeCheck> {
  const { last, missing } = await planMigrations(db);
  const created = new Set(missing.flatMap(({ text }) => createdTables(text)));
  const newest = missing.at(-1)?.number ?? last ?? 0;
  const { position } = await readHead(db);
  const events = position - ((await readModelStanding(db))?.position ?? 0);
  return {
    migration: last,
    pending: missing.map(({ name, text }) => ({
      name,
      is_long: isLong(text),
      locks: strongLocks(text, created),
    })),
    read_models: { events, seconds: Math.ceil(events / builtEventsPerSecond) },
    proxies: await runningProxies(db),
    oldest_release: releases.find(({ migration }) => migration >= newest)?.version ?? null,
  };
}

const reported = z.object({ program_version: z.string().nullable().catch(null) });

async function runningProxies(db: Queryable): Promise<readonly Proxies[] | null> {
  if (!(await hasFleet(db))) return null;
  const versions = Map.groupBy(
    await listMembers(db, silentMs),
    ({ report }) => reported.parse(report).program_version,
  );
  return [...versions].map(([version, { length: replicas }]) => ({
    version,
    replicas,
    follows: mayFollow(version),
  }));
}

/** Releases that do not report a version are older than this one. */
function mayFollow(version: string | null): boolean | null {
  const known = releases.filter((release) => version === null || release.version === version);
  if (known.length === 0) return null;
  return known.every(({ snapshotSchema }) => snapshotSchema === snapshotSchemaVersion);
}
