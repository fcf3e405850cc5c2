// Serves change requests: calls drafted as one change, approved by a principal other than the
// author, and applied exactly as approved (docs/guides/four-eyes.md).

import { z } from 'zod';

import {
  countChangeRequests,
  listChangeRequests,
} from '../../projections/tables/change-requests.ts';
import { readBody, sealBody } from '../../src/control/change-requests/body.ts';
import { reviewerBy } from '../../src/control/change-requests/reviewer.ts';
import { shownText, timestampField } from '../../src/lib/fields.ts';
import { changeRequestId } from '../../src/lib/ids.ts';
import type { ChangeRequestId, PrincipalId } from '../../src/lib/ids.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { changeRequestState } from '../../src/lib/vocabulary.ts';
import { calls as callsField } from '../../src/admin/changes/change-sets.ts';
import { changeRequestRecord, recordOf, recordsOf } from './record.ts';
import { shownRequest, wholeRequest } from './shown.ts';
import { withVersions } from '../../src/admin/http/entity.ts';
import { idIn, limitQuery, wholeNumber } from '../../src/admin/http/fields.ts';
import { idOf, mutate, reasonLengthMax, reasonOf } from '../../src/admin/http/mutation.ts';
import type { CallMutation } from '../../src/admin/http/mutation.ts';
import { isProposable, prepareCalls } from '../../src/admin/changes/proposal.ts';
import type { ProposedCall } from '../../src/admin/changes/proposal.ts';
import type { HistoryNeeds } from '../../src/admin/history/needs.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Call, Route, ServedRoute } from '../../src/admin/http/route.ts';

const titleField = shownText(200);
const reason = z.string().min(1).max(reasonLengthMax).optional();
const hexDigest = z.string().regex(/^[0-9a-f]{16,64}$/, 'must be the digest that was shown');
const params = idIn(changeRequestId);
const listPath = '/admin/change-requests';

const reading = { method: 'GET', permission: 'usage:read', body: none } as const;
const writing = { permission: 'config:write', query: none, response: changeRequestRecord } as const;
const ofOne = { ...writing, method: 'POST', params, refusals: ['absent', 'conflict'] } as const;

/** A restore, a price sync and an apply of declarative files can be drafted too, each alone. */
const isDraftable = (route: Route): boolean =>
  isProposable(route) ||
  [
    '/admin/snapshots/{version}/restore',
    '/admin/prices/sync',
    '/admin/configuration/apply',
  ].includes(route.path);

const listQuery = z.strictObject({
  state: changeRequestState.optional(),
  author: wholeNumber({ from: 1 }).optional(),
  /** The last id of the previous page. */
  after: wholeNumber({ from: 1 }).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: limitQuery({ standard: 100 }),
});

/** `all` includes the routes whose calls may be drafted. */
export const changeRequestRoutes = (all: readonly ServedRoute[]) =>
  [
    ...readRoutes,
    ...draftRoutes(all.filter(isDraftable)),
    ...reviewRoutes,
    ...endingRoutes,
  ] as const;

const readRoutes = [
  route({
    ...reading,
    path: listPath,
    operation: 'listChangeRequests',
    parameters: {
      after:
        'The id of the last row you have; the response starts after it, in the requested order.',
      author: 'Only change requests by the principal with this id.',
      state: 'Only change requests in this state.',
    },
    summary: 'List change requests, newest first, including unapproved changes that await a review',
    refusals: [],
    params: none,
    query: listQuery,
    response: z.array(changeRequestRecord),
    handle: async ({ query }, { config }, { db, vault }: HistoryNeeds) => {
      await config.refresh();
      const state = config.state();
      const filter = { state: query.state ?? null, authorId: query.author ?? null };
      const { order } = query;
      const page = { after: query.after ?? null, limit: query.limit + 1, order };
      const found = await listChangeRequests(db, filter, page);
      const total = await countChangeRequests(db, filter);
      const records = await recordsOf({ db, vault, state }, found.slice(0, query.limit));
      const last = found.length > query.limit ? records.at(-1) : undefined;
      return {
        headers: { 'x-total-count': String(total), ...linkBehind(query, last?.id) },
        body: withVersions(records, { path: listPath, state }),
      };
    },
  }),
  route({
    ...reading,
    path: '/admin/change-requests/{id}',
    operation: 'getChangeRequest',
    summary: 'Get a change request with its calls, their current effect, and its history',
    refusals: ['absent'],
    params,
    query: none,
    response: wholeRequest,
    handle: ({ params: { id } }, { config }, needs: HistoryNeeds) =>
      shownRequest(needs, config, id),
  }),
] as const;

const draftExample = {
  title: 'The autumn prices',
  calls: [
    {
      method: 'PATCH',
      path: '/admin/provider-models/1',
      body: { input_price_per_mtok: 300_000 },
    },
  ],
  reason: 'CHG-9: as agreed with the vendor',
};

const draftRoutes = (routes: readonly ServedRoute[]) =>
  [
    route({
      ...writing,
      method: 'POST',
      path: listPath,
      operation: 'draftChangeRequest',
      example: draftExample,
      summary:
        'Draft several calls as one change; they are checked (providers are contacted) but not applied',
      refusals: ['absent', 'conflict', 'too_large', 'upstream'],
      params: none,
      body: z.strictObject({ title: titleField, calls: callsField, reason }),
      handle: async ({ body: { title, calls, reason } }, call, needs: HistoryNeeds) => {
        const given = reasonOf(call, reason);
        if (isRefusal(given)) return given;
        if (given === null) return reasonNeeded;
        const drafted = await draftOf(call, needs, { calls, routes });
        if (isRefusal(drafted)) return drafted;
        const { draft, secret } = drafted;
        const titled = titleSecret(needs, title);
        const command = {
          type: 'DraftChangeRequest',
          by: callerOf(call),
          titleRef: titled.ref,
          draft,
        } as const;
        const mutation = { command, secrets: [titled, secret], reason };
        return mutate(call, mutation, (outcome, db) =>
          recordOf(
            { db, vault: needs.vault, state: outcome.state },
            changeRequestId.parse(idOf(outcome, 'ChangeRequestDrafted')),
          ),
        );
      },
    }),
    route({
      ...ofOne,
      method: 'PATCH',
      path: '/admin/change-requests/{id}',
      operation: 'editChangeRequest',
      example: { title: 'The autumn prices of the vendor' },
      summary: 'Edit a draft, as its author; its approvals are removed',
      refusals: ['absent', 'conflict', 'too_large', 'upstream'],
      body: z.strictObject({
        title: titleField.optional(),
        /** All calls must be sent again, because secrets are not shown. */
        calls: callsField.optional(),
        reason,
      }),
      handle: async (
        { params: { id }, body: { title, calls, reason } },
        call,
        needs: HistoryNeeds,
      ) => {
        const drafted = calls === undefined ? null : await draftOf(call, needs, { calls, routes });
        if (isRefusal(drafted)) return drafted;
        const titled = title === undefined ? null : titleSecret(needs, title);
        const command = {
          type: 'EditChangeRequest',
          id,
          by: callerOf(call),
          titleRef: titled?.ref ?? null,
          draft: drafted?.draft ?? null,
          now: needs.clock(),
        } as const;
        const secrets = [titled, drafted?.secret ?? null].filter((one) => one !== null);
        return changed(call, needs.vault, id, { command, secrets, reason });
      },
    }),
  ] as const;

const reviewRoutes = [
  route({
    ...ofOne,
    path: '/admin/change-requests/{id}/approve',
    operation: 'approveChangeRequest',
    example: {
      digest: '3f1c9a52d07be864',
      outcome: '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab',
      reason: 'As agreed',
    },
    summary:
      'Approve exactly what was shown; not by the author or a login whose credential the author set',
    body: z.strictObject({
      /** The digests of the calls and of their events, as shown. */
      digest: hexDigest,
      outcome: hexDigest,
      reason,
    }),
    handle: async (
      { params: { id }, body: { digest, outcome, reason } },
      call,
      needs: HistoryNeeds,
    ) => {
      const body = await bodyOf(call, needs, id);
      if (isRefusal(body)) return body;
      const now = needs.clock();
      const by = await reviewer(call, needs, id);
      if (isRefusal(by)) return by;
      const { ref, commands } = body;
      const given = { id, by, digest, outcome, body: { ref, commands }, now };
      return changed(call, needs.vault, id, {
        command: { type: 'ApproveChangeRequest', ...given },
        reason,
      });
    },
  }),
  route({
    ...ofOne,
    path: '/admin/change-requests/{id}/refuse',
    operation: 'refuseChangeRequest',
    example: { reason: 'The vendor has not confirmed it' },
    summary: 'Refuse a change request, which ends it; its author withdraws it instead',
    body: z.strictObject({ reason }),
    handle: ({ params: { id }, body: { reason } }, call, needs: HistoryNeeds) => {
      const given = reasonOf(call, reason);
      if (isRefusal(given)) return given;
      if (given === null) return reasonNeeded;
      const command = { type: 'RefuseChangeRequest', id, by: callerOf(call) } as const;
      return changed(call, needs.vault, id, { command, reason });
    },
  }),
  route({
    ...ofOne,
    path: '/admin/change-requests/{id}/review',
    operation: 'reviewChange',
    example: { reason: 'The provider had to be disabled immediately' },
    summary: 'Mark a change made without approval as reviewed',
    body: z.strictObject({ reason }),
    handle: async ({ params: { id }, body: { reason } }, call, needs: HistoryNeeds) => {
      await call.config.refresh();
      const by = await reviewer(call, needs, id);
      if (isRefusal(by)) return by;
      const command = { type: 'ReviewChange', id, by } as const;
      return changed(call, needs.vault, id, { command, reason });
    },
  }),
] as const;

const endingRoutes = [
  route({
    ...ofOne,
    path: '/admin/change-requests/{id}/withdraw',
    operation: 'withdrawChangeRequest',
    example: { reason: 'Drafted twice' },
    summary: 'Withdraw a change request, as its author',
    body: z.strictObject({ reason }),
    handle: ({ params: { id }, body: { reason } }, call, needs: HistoryNeeds) => {
      const command = { type: 'WithdrawChangeRequest', id, by: callerOf(call) } as const;
      return changed(call, needs.vault, id, { command, reason });
    },
  }),
  route({
    ...ofOne,
    path: '/admin/change-requests/{id}/schedule',
    operation: 'scheduleChangeRequest',
    example: { at: '2026-12-01T03:00:00Z' },
    summary: 'Schedule an approved change request; null removes the schedule',
    body: z.strictObject({ at: timestampField.nullable(), reason }),
    handle: ({ params: { id }, body: { at, reason } }, call, needs: HistoryNeeds) => {
      const applyAt = at === null ? null : Date.parse(at);
      const given = { id, by: callerOf(call), applyAt, now: needs.clock() };
      return changed(call, needs.vault, id, {
        command: { type: 'ScheduleChangeRequest', ...given },
        reason,
      });
    },
  }),
  route({
    ...ofOne,
    path: '/admin/change-requests/{id}/apply',
    operation: 'applyChangeRequest',
    example: { reason: 'CHG-9' },
    summary: 'Make the approved calls as one change, at one snapshot version: all of them or none',
    refusals: ['absent', 'conflict', 'too_large'],
    body: z.strictObject({ reason }),
    handle: async ({ params: { id }, body: { reason } }, call, needs: HistoryNeeds) => {
      const body = await bodyOf(call, needs, id);
      if (isRefusal(body)) return body;
      const { ref, commands, secrets, precondition, causation } = body;
      const given = { id, by: callerOf(call), body: { ref, commands }, now: needs.clock() };
      const command = { type: 'ApplyChangeRequest', ...given } as const;
      const own = precondition === undefined ? {} : { precondition };
      return changed(call, needs.vault, id, { command, secrets, reason, causation, ...own });
    },
  }),
] as const;

const reasonNeeded = refuse('invalid', 'reason is needed, in the body or as x-gw-reason', {
  param: 'reason',
});

const changed = (
  call: Call,
  vault: HistoryNeeds['vault'],
  id: ChangeRequestId,
  mutation: CallMutation,
) => mutate(call, mutation, ({ state }, db) => recordOf({ db, vault, state }, id));

function callerOf({ caller }: Call): PrincipalId {
  if (!('principalId' in caller)) throw new Error('a change request needs an author');
  return caller.principalId;
}

/** A token proves that a program holds it, not that a second person reviewed the change. */
const signInNeeded = refuse(
  'forbidden',
  'an admin token cannot approve or review a change; sign in to do it',
);

const reviewer = async (call: Call, { reports }: HistoryNeeds, id: ChangeRequestId) => {
  if (call.caller.kind === 'admin_token') return signInNeeded;
  return reviewerBy(reports, call.config.state(), { principalId: callerOf(call), id });
};

const titleSecret = ({ newId }: HistoryNeeds, plaintext: string) =>
  ({ ref: newId(), class: 'personal', plaintext }) as const;

async function draftOf(
  call: Call,
  needs: HistoryNeeds,
  { calls, routes }: Readonly<{ calls: readonly ProposedCall[]; routes: readonly ServedRoute[] }>,
) {
  await call.config.refresh();
  const proposal = await prepareCalls(call, needs.clock, { calls, routes });
  if (isRefusal(proposal)) return proposal;
  const { commands, secrets } = proposal;
  if (calls.length > 1 && commands.some(({ type }) => type === 'RestoreSnapshot')) {
    return refuse('invalid', 'calls: a restore must be the only call', { param: 'calls' });
  }
  const { ref, digest, secret } = sealBody(needs, { calls, commands, secrets });
  const named = calls.map(({ method, path }) => ({ method, path }));
  return { draft: { ref, digest, calls: named, commands }, secret };
}

/** On the current configuration. Checked again under the lock. */
async function bodyOf({ config }: Call, needs: HistoryNeeds, id: ChangeRequestId) {
  await config.refresh();
  const request = config.state().change_request.byId.get(id);
  if (request === undefined) return absent(id);
  if (request.ended !== null || request.draft === null) {
    return refuse('conflict', `change request ${id} is ${request.state}`);
  }
  return readBody({ ...needs, ...config }, request);
}

const absent = (id: ChangeRequestId): Refusal =>
  refuse('absent', `change request ${id} does not exist`);

function linkBehind(
  { state, author, order, limit }: z.output<typeof listQuery>,
  last: number | undefined,
): Record<string, string> {
  if (last === undefined) return {};
  const asked = {
    ...(state === undefined ? {} : { state }),
    ...(author === undefined ? {} : { author: `${author}` }),
    ...(order === 'desc' ? {} : { order }),
  };
  const query = new URLSearchParams({ ...asked, limit: `${limit}`, after: `${last}` });
  return { link: `<${listPath}?${query.toString()}>; rel="next"` };
}
