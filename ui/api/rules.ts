// The rules of frontend models, and their targets.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf } from './http/routes.ts';

export const createRule = (
  id: number,
  body: BodyOf<'POST', '/admin/frontend-models/{id}/rules'>,
  change: Change = {},
) => call('POST', '/admin/frontend-models/{id}/rules', { params: { id }, body, ...change });

export const replaceRules = (
  id: number,
  body: BodyOf<'PUT', '/admin/frontend-models/{id}/rules'>,
  change: Change = {},
) => call('PUT', '/admin/frontend-models/{id}/rules', { params: { id }, body, ...change });

export const updateRule = (
  id: number,
  body: BodyOf<'PATCH', '/admin/rules/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/rules/{id}', { params: { id }, body, ...change });

export const deleteRule = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/rules/{id}', { params: { id }, ...change });

export const addRuleTarget = (
  id: number,
  body: BodyOf<'POST', '/admin/rules/{id}/targets'>,
  change: Change = {},
) => call('POST', '/admin/rules/{id}/targets', { params: { id }, body, ...change });

export const removeRuleTarget = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/rule-targets/{id}', { params: { id }, ...change });
