// Makes several changes as one: previews them, then makes all or none in one transaction with one
// snapshot version.

import { z } from 'zod';

import { shownChange } from '../../control/history/shown-change.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { answerDryRun, dryRunQuestion, dryRunRecord } from '../routing/dry-run.ts';
import { mutate, reasonLengthMax, reasonOf } from '../http/mutation.ts';
import { isProposable, prepareCalls } from './proposal.ts';
import type { Proposal } from '../../control/change-requests/proposal.ts';
import type { ProposedCall } from './proposal.ts';
import type { HistoryNeeds } from '../history/needs.ts';
import { none, route } from '../http/route.ts';
import type { ServedRoute } from '../http/route.ts';
import { differenceRecord, sources } from '../history/snapshots.ts';

const callsMax = 100;
const pathLengthMax = 1_000;

const proposedCall = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().max(pathLengthMax).startsWith('/admin/'),
  /** The body as the route itself takes it. */
  body: z.unknown().optional(),
});

export const calls = z.array(proposedCall).min(1).max(callsMax);

export const changeFields = {
  /** In the order of the calls. */
  calls: z
    .array(z.object({ method: z.string(), path: z.string(), event_count: z.int() }))
    .readonly(),
  event_count: z.int(),
  /** Lists contain the first 1,000. */
  events: z.array(z.object({ stream: z.string(), type: z.string(), data: z.unknown() })).readonly(),
  difference_count: z.int(),
  diff: z.array(differenceRecord).readonly(),
};

const common = { method: 'POST', permission: 'config:write', params: none, query: none } as const;

/** `all` includes the routes whose calls may be proposed. */
export function changeSetRoutes(all: readonly ServedRoute[]) {
  const routes = all.filter(isProposable);
  return [
    route({
      ...common,
      path: '/admin/change-sets/preview',
      operation: 'previewChangeSet',
      summary: 'Preview the effect of several calls as one change; writes nothing',
      asks: true,
      refusals: ['absent', 'conflict', 'too_large', 'upstream'],
      body: z.strictObject({
        calls,
        /** A request to route after the change. */
        dry_run: dryRunQuestion.optional(),
      }),
      response: z.object({ ...changeFields, dry_run: dryRunRecord.nullable() }),
      handle: async ({ body: { calls, dry_run: question } }, call, needs: HistoryNeeds) => {
        const { config } = call;
        await config.refresh();
        const before = config.state();
        const proposal = await prepareCalls(call, needs.clock, { calls, routes });
        if (isRefusal(proposal)) return proposal;
        const { state: after, events } = proposal;
        const answered =
          question === undefined
            ? null
            : answerDryRun(question, await needs.routed.ofState(after), needs.clock());
        if (isRefusal(answered)) return answered;
        const change = await shownChange(sources(needs), { before, after, events });
        const dry_run = answered !== null && 'body' in answered ? answered.body : null;
        return {
          headers: { etag: `"${before.version}"` },
          body: { calls: countedCalls(calls, proposal), ...change, dry_run },
        };
      },
    }),
    route({
      ...common,
      path: '/admin/change-sets/apply',
      operation: 'applyChangeSet',
      summary: 'Make several calls as one change, at one snapshot version: all of them or none',
      refusals: ['absent', 'conflict', 'too_large', 'upstream'],
      body: z.strictObject({
        calls,
        /** Required, here or in x-gw-reason. */
        reason: z.string().min(1).max(reasonLengthMax).optional(),
      }),
      response: z.object(changeFields),
      handle: async ({ body: { calls, reason } }, call, needs: HistoryNeeds) => {
        const { config } = call;
        const given = reasonOf(call, reason);
        if (isRefusal(given)) return given;
        if (given === null) return reasonNeeded;
        await config.refresh();
        const before = config.state();
        const proposal = await prepareCalls(call, needs.clock, { calls, routes });
        if (isRefusal(proposal)) return proposal;
        const { commands, secrets, events } = proposal;
        const command = { type: 'ApplyChanges', commands, events } as const;
        return mutate(call, { command, secrets, reason }, async ({ state: after }, db) => ({
          calls: countedCalls(calls, proposal),
          ...(await shownChange({ db, vault: needs.vault }, { before, after, events })),
        }));
      },
    }),
  ] as const;
}

const reasonNeeded = refuse('invalid', 'reason is needed, in the body or as x-gw-reason', {
  param: 'reason',
});

const countedCalls = (calls: readonly ProposedCall[], { counts }: Proposal) =>
  calls.map(({ method, path }, index) => ({ method, path, event_count: counts[index] ?? 0 }));
