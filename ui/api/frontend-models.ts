// Frontend models: the names that clients call, and what they come to.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, QueryOf, RowOf } from './http/routes.ts';

export type FrontendModel = RowOf<'/admin/frontend-models'>;
export type Rule = FrontendModel['rules'][number];
export type Target = FrontendModel['default_targets'][number];

export const listFrontendModels = (signal?: AbortSignal) =>
  list('/admin/frontend-models', { signal });

export const getFrontendModel = (
  id: number,
  signal?: AbortSignal,
  query: QueryOf<'GET', '/admin/frontend-models/{id}'> = {},
) => call('GET', '/admin/frontend-models/{id}', { params: { id }, query, signal });

export const createFrontendModel = (
  body: BodyOf<'POST', '/admin/frontend-models'>,
  change: Change = {},
) => call('POST', '/admin/frontend-models', { body, ...change });

export const updateFrontendModel = (
  id: number,
  body: BodyOf<'PATCH', '/admin/frontend-models/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/frontend-models/{id}', { params: { id }, body, ...change });

export const deleteFrontendModel = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/frontend-models/{id}', { params: { id }, ...change });

export const addDefaultTarget = (
  id: number,
  body: BodyOf<'POST', '/admin/frontend-models/{id}/defaults'>,
  change: Change = {},
) => call('POST', '/admin/frontend-models/{id}/defaults', { params: { id }, body, ...change });

export const removeDefaultTarget = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/frontend-model-defaults/{id}', { params: { id }, ...change });

export const getFallbackModel = (signal?: AbortSignal) =>
  call('GET', '/admin/fallback-model', { signal });

export const setFallbackModel = (
  body: BodyOf<'PUT', '/admin/fallback-model'>,
  change: Change = {},
) => call('PUT', '/admin/fallback-model', { body, ...change });
