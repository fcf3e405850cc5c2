// Providers: the services that models are served by.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf, RowOf } from './http/routes.ts';

export type Provider = RowOf<'/admin/providers'>;
export type CatalogueEntry = AnswerOf<'GET', '/admin/provider-catalogue'>[number];
export type AvailableModel = AnswerOf<'GET', '/admin/providers/{id}/available-models'>[number];

export const listProviders = (signal?: AbortSignal) => list('/admin/providers', { signal });

export const createProvider = (body: BodyOf<'POST', '/admin/providers'>, change: Change = {}) =>
  call('POST', '/admin/providers', { body, ...change });

export const updateProvider = (
  id: number,
  body: BodyOf<'PATCH', '/admin/providers/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/providers/{id}', { params: { id }, body, ...change });

export const deleteProvider = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/providers/{id}', { params: { id }, ...change });

export const listProviderCatalogue = (signal?: AbortSignal) =>
  call('GET', '/admin/provider-catalogue', { signal });

export const listAvailableModels = (id: number, signal?: AbortSignal) =>
  call('GET', '/admin/providers/{id}/available-models', { params: { id }, signal });
