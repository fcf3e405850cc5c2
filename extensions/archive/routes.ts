// Serves the state of the archive of usage, its verification and its repair (docs/guides/archive.md).

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import { z } from 'zod';

import { archiveStatus } from '../../src/db/usage/archive/archive-checks.ts';
import { readArchive } from '../../src/db/usage/archive/archive-state.ts';
import { otherArchives } from '../../src/db/usage/archive/archive-processes.ts';
import { timestamp, timestampField } from '../../src/lib/fields.ts';
import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { actorOf } from '../../src/admin/http/mutation.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Archiving } from './archive-hour.ts';
import { holdingArchive } from './archive.ts';
import { repairArchive, repairOutcomes } from './repair.ts';
import { wrongPlace } from './target/claim.ts';
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
  /** The size of all segments. */
  bytes: z.int(),
  /** The last hour that is in the archive. */
  last_hour: timestamp.nullable(),
  /** Hours that could not be archived or verified, the first of them, and why. */
  failed_hours: z.int(),
  first_failed_hour: timestamp.nullable(),
  failure: z.string().nullable(),
  /** The archives of running control processes with other settings. They are not used. */
  other_places: z.array(z.string().meta({ examples: ['off'] })).readonly(),
});

export const archiveCheckRecord = z.object({
  since: timestamp,
  until: timestamp,
  hours: z.int(),
  segments: z.int(),
  rows: z.int(),
  bytes: z.int(),
  /** Hours whose sums were compared with those of the database. */
  compared: z.int(),
  /** Hours with rows that are not in the archive yet. Their sums are not compared. */
  pending: z.array(timestamp).readonly(),
  /** Further hours that are not compared: their sums or files are incomplete. */
  uncompared: z.array(timestamp).readonly(),
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

export const archiveRepairRecord = z.object({
  since: timestamp,
  until: timestamp,
  segments: z.int(),
  repairs: z
    .array(
      z.object({
        hour: timestamp,
        file: z.string().meta({ examples: ['usage/dt=2026-11-01/hour=10/0001.parquet'] }),
        outcome: z.enum(repairOutcomes),
        /** The reason why it was not written. */
        problem: z.string().nullable(),
      }),
    )
    .readonly(),
});

const hourMs = 3_600_000;
const spanMax = 31 * 24 * hourMs;
const problemsMax = 100;
/** Archiving holds the archive for some seconds. */
const triesMax = 30;
const retryMs = 1_000;

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
      handle: async () => {
        const { reports } = core();
        const [status, others] = [await archiveStatus(reports), await otherArchives(reports)];
        return { body: toStatus(status, others) };
      },
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
        const span = spanOf(query);
        if ('refused' in span) return span;
        const found = await archiveOf(archiving);
        if ('refused' in found) return found;
        if (isRunning) return alreadyRunning;
        isRunning = true;
        try {
          const { problems, ...check } = await verifyArchive(found, span);
          return {
            body: {
              ...printed(span),
              ...check,
              problem_count: problems.length,
              problems: problems.slice(0, problemsMax),
            },
          };
        } finally {
          isRunning = false;
        }
      },
    }),
    repairRoute(archiving),
  ] as const;
}

const repairRoute = (archiving: () => Promise<Archiving | null>) =>
  route({
    method: 'POST',
    path: '/admin/usage/archive/repair',
    operation: 'repairUsageArchive',
    permission: 'config:write',
    summary: 'Write lost or damaged files again from the rows of the database',
    tag,
    example: { since: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z' },
    asks: true,
    refusals: ['conflict', 'too_many'],
    params: none,
    query: none,
    body: z.strictObject({ since: timestampField, until: timestampField }),
    response: archiveRepairRecord,
    handle: async ({ body }, call) => {
      const span = spanOf(body);
      if ('refused' in span) return span;
      const found = await archiveOf(archiving);
      if ('refused' in found) return found;
      const repairing = { ...found, actor: actorOf(call.caller) };
      for (let tries = 0; tries < triesMax; tries++) {
        if (tries > 0) await setTimeout(retryMs);
        const repaired = await holdingArchive(found.plane, randomUUID(), (proceed) =>
          repairArchive({ ...repairing, proceed }, span),
        );
        if (repaired !== null) return { body: { ...printed(span), ...repaired } };
      }
      return alreadyHeld;
    },
  });

type Span = Readonly<{ since: Date; until: Date }>;

/** Whole hours. */
function spanOf(asked: Readonly<{ since: string; until: string }>): Span | Refusal {
  const [since, until] = [floor(asked.since), floor(asked.until)];
  if (since >= until) {
    const message = `since ${asked.since} is not at least an hour before until ${asked.until}`;
    return refuse('invalid', message, { param: 'since' });
  }
  if (until.getTime() - since.getTime() <= spanMax) return { since, until };
  const message = `until ${asked.until} is more than 31 days after since`;
  return refuse('invalid', message, { param: 'until' });
}

const printed = ({ since, until }: Span) => ({
  since: since.toISOString(),
  until: until.toISOString(),
});

const floor = (time: string): Date => new Date(Math.floor(Date.parse(time) / hourMs) * hourMs);

/** Refuses if the place is not that of the archive in use. */
async function archiveOf(archiving: () => Promise<Archiving | null>): Promise<Archiving | Refusal> {
  const found = await archiving();
  if (found === null) return noArchive;
  const { archive_id: id } = await readArchive(found.plane.db);
  const problem = id === null ? null : await wrongPlace(found.target, id);
  return problem === null ? found : refuse('conflict', problem);
}

const noArchive = refuse(
  'conflict',
  'no archive of usage is configured; set --usage-archive on every control plane',
);

const alreadyRunning = refuse(
  'too_many',
  'the archive is already being verified; wait for the end',
  { retryAfterSeconds: 30 },
);

const alreadyHeld = refuse('too_many', 'a control plane is writing the archive; try again', {
  retryAfterSeconds: 10,
});

type Status = Awaited<ReturnType<typeof archiveStatus>>;

const toStatus = (
  status: Status,
  others: readonly (string | null)[],
): z.input<typeof archiveStatusRecord> => ({
  ...status,
  first_hour: status.first_hour?.toISOString() ?? null,
  first_pending_hour: status.first_pending_hour?.toISOString() ?? null,
  last_hour: status.last_hour?.toISOString() ?? null,
  first_failed_hour: status.first_failed_hour?.toISOString() ?? null,
  other_places: others.map((place) => place ?? 'off'),
});
