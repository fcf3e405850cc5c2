// Defines the archive extension: usage rows as Parquet files in a directory or a bucket, with a
// manifest for each, whose digest is in the event log (docs/guides/archive.md).

import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Core, Extension } from '../../src/admin/extension.ts';
import { readHead } from '../../src/db/log/event-log.ts';
import { archiveDue, configureArchive } from './archive.ts';
import type { Archiving } from './archive-hour.ts';
import { archiveRoutes } from './routes.ts';
import { archiveValues } from './settings.ts';
import { openTarget } from './target/open.ts';

const intervalMs = 10_000;
const dayMs = 86_400_000;

/** The setting of the core after which rows are removed. */
const retention = z.object({ usageRetention: z.int().positive().default(90) });

export const archive = ((core: Core) => {
  const holder = randomUUID();
  const archiving = async (): Promise<Archiving | null> => {
    const { plane, settings, dispatcher, clock } = core();
    const target = openTarget(archiveValues(settings), dispatcher);
    if (target === null) return null;
    const { logId } = await readHead(plane.db);
    return { plane, target, logId, clock };
  };
  return {
    routes: () => archiveRoutes(archiving, () => core().plane),
    jobs: () => [
      {
        what: 'archiving usage',
        intervalMs,
        work: async () => {
          const { plane, settings, clock } = core();
          if (archiveValues(settings).usageArchive === 'off') await configureArchive(plane, null);
          const found = await archiving();
          if (found === null) return;
          const { usageRetention: days } = retention.parse(settings);
          // A day earlier, so that a problem is known before rows would be removed.
          const verifyBefore = (): Date => new Date(clock() - Math.max(0, days - 1) * dayMs);
          await archiveDue({ ...found, holder, verifyBefore });
        },
      },
    ],
  };
}) satisfies Extension;
