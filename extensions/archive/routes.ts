// Serves the state of the archive of usage and its verification (docs/guides/archive.md).

import { z } from 'zod';

import { archiveStatus } from '../../src/db/usage/archive/archive-checks.ts';
import { timestamp, timestampField } from '../../src/lib/fields.ts';
import { refuse } from '../../src/lib/refusal.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Archiving } from './archive-hour.ts';
import { archiveProblemKinds, verifyArchive } from './verify.ts';

export const archiveStatusRecord = z.object({
  /** True if rows are only removed from the database once they are in the archive. */
  is_on: z.boolean(),
  /** Null while no archive is configured. */
  place: z.string().nullable(),
  /** Hours before this have no archive, because their rows were removed before there was one. */
  first_hour: timestamp.nullable(),
  hours: z.int(),
  segments: z.int(),
  /** Hours with rows that should be in the archive and are not, and the first of them. */
  pending_hours: z.int(),
  first_pending_hour: timestamp.nullable(),
  /** Recomputations of costs whose corrections are not in the archive yet. */
  pending_corrections: z.int(),
  /** Hours that were read back since their last segment was written. */
  verified_hours: z.int(),
});

export const archiveCheckRecord = z.object({
  since: timestamp,
  until: timestamp,
  hours: z.int(),
  segments: z.int(),
  rows: z.int(),
  bytes: z.int(),
  /** Hours with rows that are not in the archive yet. Their sums are not compared. */
  pending: z.array(timestamp).readonly(),
  problem_count: z.int(),
  /** The first 100 problems. */
  problems: z
    .array(
      z.object({
        kind: z.enum(archiveProblemKinds),
        problem: z.string(),
        hour: timestamp,
        file: z
          .string()
          .meta({ examples: ['usage/dt=2026-11-01/hour=10/0001.parquet'] })
          .optional(),
      }),
    )
    .readonly(),
});

const hourMs = 3_600_000;
const spanMax = 31 * 24 * hourMs;
const problemsMax = 100;

const tag = 'Usage';

/** `archiving` is null if no archive is configured in this process. */
export function archiveRoutes(
  archiving: () => Promise<Archiving | null>,
  core: () => Archiving['plane'],
) {
  let isRunning = false;
  return [
    route({
      method: 'GET',
      path: '/admin/usage/archive',
      operation: 'showUsageArchive',
      permission: 'usage:read',
      summary: 'Show how far the archive of usage rows is',
      tag,
      refusals: [],
      params: none,
      query: none,
      body: none,
      response: archiveStatusRecord,
      handle: async () => ({ body: toStatus(await archiveStatus(core().reports)) }),
    }),
    route({
      method: 'GET',
      path: '/admin/usage/archive/verify',
      operation: 'verifyUsageArchive',
      permission: 'usage:read',
      summary: 'Verify the segments of archived hours; reads each of them',
      tag,
      parameters: {
        since: 'Start of the first hour to verify.',
        until: 'End of the last hour to verify, at most 31 days after `since`.',
      },
      refusals: ['conflict', 'too_many'],
      params: none,
      query: z.strictObject({ since: timestampField, until: timestampField }),
      body: none,
      response: archiveCheckRecord,
      handle: async ({ query }) => {
        const [since, until] = [floor(query.since), floor(query.until)];
        if (since >= until) {
          const message = `since ${query.since} is not at least an hour before until ${query.until}`;
          return refuse('invalid', message, { param: 'since' });
        }
        if (until.getTime() - since.getTime() > spanMax) {
          const message = `until ${query.until} is more than 31 days after since`;
          return refuse('invalid', message, { param: 'until' });
        }
        const found = await archiving();
        if (found === null) return noArchive;
        if (isRunning) return alreadyRunning;
        isRunning = true;
        try {
          const check = await verifyArchive(found, { since, until });
          const { problems, pending, ...totals } = check;
          return {
            body: {
              since: since.toISOString(),
              until: until.toISOString(),
              ...totals,
              pending,
              problem_count: problems.length,
              problems: problems.slice(0, problemsMax),
            },
          };
        } finally {
          isRunning = false;
        }
      },
    }),
  ] as const;
}

const floor = (time: string): Date => new Date(Math.floor(Date.parse(time) / hourMs) * hourMs);

const noArchive = refuse(
  'conflict',
  'no archive of usage is configured; set --usage-archive on every control plane',
);

const alreadyRunning = refuse(
  'too_many',
  'the archive is already being verified; wait for the end',
  { retryAfterSeconds: 30 },
);

const toStatus = ({
  first_hour: firstHour,
  first_pending_hour: firstPending,
  ...status
}: Awaited<ReturnType<typeof archiveStatus>>): z.input<typeof archiveStatusRecord> => ({
  ...status,
  first_hour: firstHour?.toISOString() ?? null,
  first_pending_hour: firstPending?.toISOString() ?? null,
});
