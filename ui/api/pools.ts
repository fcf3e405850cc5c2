// Model pools: models that serve for one another.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Pool = RowOf<'/admin/model-pools'>;

export const listPools = (signal?: AbortSignal) => list('/admin/model-pools', { signal });

export const getPool = (id: number, signal?: AbortSignal) =>
  call('GET', '/admin/model-pools/{id}', { params: { id }, signal });

export const createPool = (body: BodyOf<'POST', '/admin/model-pools'>, change: Change = {}) =>
  call('POST', '/admin/model-pools', { body, ...change });

export const updatePool = (
  id: number,
  body: BodyOf<'PATCH', '/admin/model-pools/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/model-pools/{id}', { params: { id }, body, ...change });

export const deletePool = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/model-pools/{id}', { params: { id }, ...change });

export const addPoolMember = (
  id: number,
  body: BodyOf<'POST', '/admin/model-pools/{id}/members'>,
  change: Change = {},
) => call('POST', '/admin/model-pools/{id}/members', { params: { id }, body, ...change });

export const removePoolMember = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/model-pool-members/{id}', { params: { id }, ...change });
