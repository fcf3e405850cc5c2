// Restores the configuration of a snapshot version, as a whole or for some entities. A dry run
// returns a preview. A restore requires a reason and is one ordinary mutation.

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
  /** Everything if absent. */
  only: entities.optional(),
  /** Restores everything else. Cannot be combined with `only`. */
  except: entities.optional(),
  dry_run: z.boolean().default(false),
  /** Required unless dry_run, here or in x-gw-reason. */
  reason: z.string().min(1).max(reasonLengthMax).optional(),
});

const conflictRecord = z.object({
  entity: z.string(),
  /**
   * The entity to add to `only` (or to `except`) to resolve the conflict. Null if that would not
   * help.
   */
  needs: z.string().nullable(),
  message: z.string(),
});

const missingRecord = z.object({
  entity: z.string(),
  field: z.string(),
  reason: lossReason,
});

/** Lists contain at most 1,000 entries. */
const restoreRecord = <Shown extends z.ZodType>(whatIf: Shown) =>
  z.object({
    dry_run: z.boolean(),
    event_count: z.int(),
    events: z
      .array(z.object({ stream: z.string(), type: z.string(), data: z.unknown() }))
      .readonly(),
    /** From the current to the restored configuration. */
    difference_count: z.int(),
    diff: z.array(differenceRecord).readonly(),
    /** If there are any, the restore is refused. */
    conflicts: z.array(conflictRecord).readonly(),
    /** Data that cannot be restored, and why. */
    missing: z.array(missingRecord).readonly(),
    /**
     * The effect on the requests of the last 24 hours. Null if it is not a dry run, or if too many
     * previews run.
     */
    what_if: whatIf.nullable(),
  });

const reasonNeeded = refuse(
  'invalid',
  'reason: is required, in the body or in the header x-gw-reason',
  {
    param: 'reason',
  },
);

const onlyOrExcept = refuse('invalid', 'except: cannot be combined with only; send one of them', {
  param: 'except',
});

export const restoreRoutes = ({ record, of: previewOf }: Preview) =>
  [
    route({
      method: 'POST',
      path: '/admin/snapshots/{version}/restore',
      operation: 'restoreSnapshot',
      permission: 'config:write',
      summary: 'Restore the configuration of a snapshot version, or preview the restore',
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
