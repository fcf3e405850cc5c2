// Roles and their permissions.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Role = RowOf<'/admin/roles'>;

export const listRoles = (signal?: AbortSignal) => list('/admin/roles', { signal });

export const createRole = (body: BodyOf<'POST', '/admin/roles'>, change: Change = {}) =>
  call('POST', '/admin/roles', { body, ...change });

export const updateRole = (
  name: string,
  body: BodyOf<'PATCH', '/admin/roles/{name}'>,
  change: Change = {},
) => call('PATCH', '/admin/roles/{name}', { params: { name }, body, ...change });

export const deleteRole = (name: string, change: Change = {}) =>
  call('DELETE', '/admin/roles/{name}', { params: { name }, ...change });

export const grantPermission = (
  name: string,
  body: BodyOf<'POST', '/admin/roles/{name}/permissions'>,
  change: Change = {},
) => call('POST', '/admin/roles/{name}/permissions', { params: { name }, body, ...change });

export const revokePermission = (
  name: string,
  body: BodyOf<'DELETE', '/admin/roles/{name}/permissions'>,
  change: Change = {},
) => call('DELETE', '/admin/roles/{name}/permissions', { params: { name }, body, ...change });
