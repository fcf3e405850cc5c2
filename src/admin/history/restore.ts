// The configuration of a snapshot version brought back, whole or for a few entities. A dry run says what it would come to; the restore
// itself needs a reason, and is one mutation like any other.

import { z } from 'zod';

import { entityField } from '../../control/history/entity-field.ts';
import { previewRestore, readyRestore } from '../../control/history/restore.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { lossReason } from '../../lib/vocabulary.ts';
import type { Preview } from '../extension.ts';
import { mutate, reasonLengthMax, reasonOf } from '../http/mutation.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import { differenceRecord, ofVersion, sources } from './snapshots.ts';

const namedMax = 1_000;
const entities = z.array(entityField).min(1).max(namedMax);

const restoreBody = z.strictObject({
  /** These entities alone; without it, all of the configuration. */
  only: entities.optional(),
  /** All of the configuration but these entities, which stay as they are; not beside `only`. */
  except: entities.optional(),
  /** Only says what would come of it. */
  dry_run: z.boolean().default(false),
  /** Needed unless it is a dry run; x-gw-reason says it as well. */
  reason: z.string().min(1).max(reasonLengthMax).optional(),
});

const conflictRecord = z.object({
  entity: z.string(),
  /** What would have to be restored with it, or named in except with it; null when that would not help. */
  needs: z.string().nullable(),
  message: z.string(),
});

const missingRecord = z.object({
  entity: z.string(),
  field: z.string(),
  reason: lossReason,
});

/** Lists hold the first 1,000. */
const restoreRecord = <Shown extends z.ZodType>(whatIf: Shown) =>
  z.object({
    dry_run: z.boolean(),
    event_count: z.int(),
    events: z
      .array(z.object({ stream: z.string(), type: z.string(), data: z.unknown() }))
      .readonly(),
    /** From the configuration as it stands to the one that comes of it. */
    difference_count: z.int(),
    diff: z.array(differenceRecord).readonly(),
    /** What stands in the way: with any, a restore is refused. */
    conflicts: z.array(conflictRecord).readonly(),
    /** What does not come back, and why. */
    missing: z.array(missingRecord).readonly(),
    /** What it would have made of requests of the last 24 hours; null when it is no dry run, and when others are asked too much. */
    what_if: whatIf.nullable(),
  });

const reasonNeeded = refuse('invalid', 'reason is needed, in the body or as x-gw-reason', {
  param: 'reason',
});

const onlyOrExcept = refuse('invalid', 'except names what only leaves out: give one of them', {
  param: 'except',
});

export const restoreRoutes = ({ record, of: previewOf }: Preview) =>
  [
    route({
      method: 'POST',
      path: '/admin/snapshots/{version}/restore',
      operation: 'restoreSnapshot',
      permission: 'config:write',
      summary: 'Bring back the configuration of a snapshot version, or say what that would come to',
      refusals: ['absent', 'conflict', 'too_large'],
      params: ofVersion,
      query: none,
      body: restoreBody,
      response: restoreRecord(record),
      handle: async ({ params: { version }, body }, call, needs: HistoryNeeds) => {
        const { dry_run: isDry, only, except = [], reason } = body;
        if (only !== undefined && except.length > 0) return onlyOrExcept;
        const given = reasonOf(call, reason);
        if (isRefusal(given)) return given;
        if (!isDry && given === null) return reasonNeeded;
        const { state, past, refresh } = call.config;
        const chosen = only === undefined ? null : [...new Set(only)];
        const asked = { version, only: chosen, except: [...new Set(except)] };
        const ready = await readyRestore({ db: needs.reports, state, past, refresh }, asked);
        if (isRefusal(ready)) return ready;
        const { command, causation } = ready;
        const before = { state: state() };
        if (isDry) {
          const preview = await previewRestore(sources(needs), { ...before, command });
          const { shown, after } = preview;
          const what_if = await previewOf({ before: before.state, after });
          const body = { dry_run: true, ...shown, what_if };
          return { headers: call.entity.etag(before.state), body };
        }
        const mutation = {
          command,
          causation,
          reason,
          precondition: (...asked: Parameters<typeof ready.precondition>) => {
            [before.state] = asked;
            return ready.precondition(...asked);
          },
        };
        return mutate(call, mutation, async (_outcome, tx) => {
          const from = { state: before.state, command };
          const { shown } = await previewRestore({ db: tx, vault: needs.vault }, from);
          return { dry_run: false, ...shown, what_if: null };
        });
      },
    }),
  ] as const;
