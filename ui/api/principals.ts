// Principals: who calls, and who administers.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Principal = RowOf<'/admin/principals'>;

export const listPrincipals = (signal?: AbortSignal) => list('/admin/principals', { signal });

export const createPrincipal = (body: BodyOf<'POST', '/admin/principals'>, change: Change = {}) =>
  call('POST', '/admin/principals', { body, ...change });

export const updatePrincipal = (
  id: number,
  body: BodyOf<'PATCH', '/admin/principals/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/principals/{id}', { params: { id }, body, ...change });

export const deletePrincipal = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/principals/{id}', { params: { id }, ...change });

export const grantRole = (
  id: number,
  body: BodyOf<'POST', '/admin/principals/{id}/roles'>,
  change: Change = {},
) => call('POST', '/admin/principals/{id}/roles', { params: { id }, body, ...change });

export const revokeRole = (params: Readonly<{ id: number; role: string }>, change: Change = {}) =>
  call('DELETE', '/admin/principals/{id}/roles/{role}', { params, ...change });

export const setPassword = (
  id: number,
  body: BodyOf<'PUT', '/admin/principals/{id}/password'>,
  change: Change = {},
) => call('PUT', '/admin/principals/{id}/password', { params: { id }, body, ...change });

export const unlinkIdentity = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/principals/{id}/identity', { params: { id }, ...change });
