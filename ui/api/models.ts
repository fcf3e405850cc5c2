// Models of providers, and the backends that serve them.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Model = RowOf<'/admin/provider-models'>;

export const listModels = (signal?: AbortSignal) => list('/admin/provider-models', { signal });

export const createModel = (body: BodyOf<'POST', '/admin/provider-models'>, change: Change = {}) =>
  call('POST', '/admin/provider-models', { body, ...change });

export const updateModel = (
  id: number,
  body: BodyOf<'PATCH', '/admin/provider-models/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/provider-models/{id}', { params: { id }, body, ...change });

export const deleteModel = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/provider-models/{id}', { params: { id }, ...change });

export const attachBackend = (
  id: number,
  body: BodyOf<'POST', '/admin/provider-models/{id}/backends'>,
  change: Change = {},
) => call('POST', '/admin/provider-models/{id}/backends', { params: { id }, body, ...change });

export const updateBackend = (
  id: number,
  body: BodyOf<'PATCH', '/admin/backends/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/backends/{id}', { params: { id }, body, ...change });

export const detachBackend = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/backends/{id}', { params: { id }, ...change });
