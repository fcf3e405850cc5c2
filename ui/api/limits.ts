// Rate limits of principals.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Limits = RowOf<'/admin/limits'>;

export const listLimits = (signal?: AbortSignal) => list('/admin/limits', { signal });

export const setLimits = (
  id: number,
  body: BodyOf<'PUT', '/admin/principals/{id}/limits'>,
  change: Change = {},
) => call('PUT', '/admin/principals/{id}/limits', { params: { id }, body, ...change });

export const clearLimits = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/principals/{id}/limits', { params: { id }, ...change });
