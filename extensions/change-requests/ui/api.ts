// Calls of change requests and of the approval policy.

import { call } from '../../../ui/api/http/call.ts';
import type { Change } from '../../../ui/api/http/call.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../../../ui/api/http/routes.ts';

export type ChangeRequest = AnswerOf<'GET', '/admin/change-requests'>[number];
export type WholeRequest = AnswerOf<'GET', '/admin/change-requests/{id}'>;
export type ChangePolicy = AnswerOf<'GET', '/admin/change-policy'>;

export const listChangeRequests = (
  query: QueryOf<'GET', '/admin/change-requests'>,
  signal?: AbortSignal,
) => call('GET', '/admin/change-requests', { query, signal });

export const getChangeRequest = (id: number, signal?: AbortSignal) =>
  call('GET', '/admin/change-requests/{id}', { params: { id }, signal });

/** `change` must contain a reason. */
export const draftChangeRequest = (
  body: BodyOf<'POST', '/admin/change-requests'>,
  change: Change = {},
) => call('POST', '/admin/change-requests', { body, ...change });

/** Only the author can call this. Removes approvals. */
export const editChangeRequest = (
  id: number,
  body: BodyOf<'PATCH', '/admin/change-requests/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/change-requests/{id}', { params: { id }, body, ...change });

export const approveChangeRequest = (
  id: number,
  body: BodyOf<'POST', '/admin/change-requests/{id}/approve'>,
  change: Change = {},
) => call('POST', '/admin/change-requests/{id}/approve', { params: { id }, body, ...change });

export const scheduleChangeRequest = (id: number, at: string | null, change: Change = {}) =>
  call('POST', '/admin/change-requests/{id}/schedule', { params: { id }, body: { at }, ...change });

export const refuseChangeRequest = (id: number, change: Change = {}) =>
  call('POST', '/admin/change-requests/{id}/refuse', { params: { id }, body: {}, ...change });

export const withdrawChangeRequest = (id: number, change: Change = {}) =>
  call('POST', '/admin/change-requests/{id}/withdraw', { params: { id }, body: {}, ...change });

export const applyChangeRequest = (id: number, change: Change = {}) =>
  call('POST', '/admin/change-requests/{id}/apply', { params: { id }, body: {}, ...change });

export const reviewChange = (id: number, change: Change = {}) =>
  call('POST', '/admin/change-requests/{id}/review', { params: { id }, body: {}, ...change });

export const getChangePolicy = (signal?: AbortSignal) =>
  call('GET', '/admin/change-policy', { signal });

export const setChangePolicy = (
  kinds: BodyOf<'PUT', '/admin/change-policy'>['kinds'],
  change: Change = {},
) => call('PUT', '/admin/change-policy', { body: { kinds }, ...change });
