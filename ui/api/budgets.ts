// Budgets of principals, and what is spent of them.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Budget = RowOf<'/admin/budgets'>;

export const listBudgets = (signal?: AbortSignal) => list('/admin/budgets', { signal });

export const setBudget = (
  id: number,
  body: BodyOf<'PUT', '/admin/principals/{id}/budget'>,
  change: Change = {},
) => call('PUT', '/admin/principals/{id}/budget', { params: { id }, body, ...change });

export const clearBudget = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/principals/{id}/budget', { params: { id }, ...change });
