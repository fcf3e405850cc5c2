// Defines the archive extension: usage rows as Parquet files in a directory or a bucket, with a
// manifest for each, whose digest is in the event log (docs/guides/archive.md).

import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Core, Extension } from '../../src/admin/extension.ts';
import { readHead } from '../../src/db/log/event-log.ts';
import { archiveStatus } from '../../src/db/usage/archive/archive-checks.ts';
import { agreeOnNone, announce, ArchiveConflict, checkUsedPlace } from './agree.ts';
import { archiveDue } from './archive.ts';
import type { Archiving } from './archive-hour.ts';
import { archiveRoutes } from './routes.ts';
import { archiveValues } from './settings.ts';
import { claimPlace } from './target/claim.ts';
import { openTarget } from './target/open.ts';

const intervalMs = 10_000;
const dayMs = 86_400_000;
/** The state is read this often for metrics. */
const measuredMs = 60_000;

/** The setting of the core after which rows are removed. */
const retention = z.object({ usageRetention: z.int().positive().default(90) });

export const archive = ((core: Core) => {
  const holder = randomUUID();
  const claimed: { archiveId?: string } = {};
  const archiving = async (): Promise<Archiving | null> => {
    const { plane, settings, dispatcher, clock } = core();
    const target = openTarget(archiveValues(settings), dispatcher);
    if (target === null) return null;
    const { logId } = await readHead(plane.db);
    return { plane, target, logId, clock };
  };
  const archiveUsage = async (): Promise<void> => {
    const { plane, settings, clock } = core();
    const agreeing = { plane, process: holder };
    if (archiveValues(settings).usageArchive === 'off') return agreeOnNone(agreeing);
    const found = await archiving();
    if (found === null) return;
    const { target, logId } = found;
    if (claimed.archiveId === undefined) {
      await announce(agreeing, target.place);
      await checkUsedPlace(agreeing, target);
    }
    const archiveId = (claimed.archiveId ??= await claimPlace(target, logId));
    const { usageRetention: days } = retention.parse(settings);
    // A day earlier, so that a problem is known before rows would be removed.
    const verifyBefore = (): Date => new Date(clock() - Math.max(0, days - 1) * dayMs);
    await archiveDue({ ...found, holder, archiveId, verifyBefore });
  };
  const measured = { failures: 0, isUsed: true, at: -Infinity };
  const work = async (): Promise<void> => {
    try {
      await archiveUsage();
      measured.isUsed = true;
    } catch (error) {
      measured.failures++;
      measured.isUsed = !(error instanceof ArchiveConflict);
      throw error;
    } finally {
      await measure();
    }
  };
  const measure = async (): Promise<void> => {
    const { plane, settings, clock } = core();
    if (archiveValues(settings).usageArchive === null) return;
    const { failures, isUsed, at } = measured;
    if (clock() - at >= measuredMs) {
      const status = await archiveStatus(plane.reports);
      measured.at = clock();
      plane.measures.archive = {
        hours: status.hours,
        bytes: status.bytes,
        pendingHours: status.pending_hours,
        failedHours: status.failed_hours,
        failures,
        isUsed,
      };
    } else if (plane.measures.archive !== null) {
      plane.measures.archive = { ...plane.measures.archive, failures, isUsed };
    }
  };
  return {
    routes: () => archiveRoutes(archiving, () => core().plane),
    jobs: () => [{ what: 'archiving usage', intervalMs, work }],
  };
}) satisfies Extension;
