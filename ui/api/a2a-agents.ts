// Agents that speak A2A.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type Agent = RowOf<'/admin/a2a-agents'>;

export const listAgents = (signal?: AbortSignal) => list('/admin/a2a-agents', { signal });

export const createAgent = (body: BodyOf<'POST', '/admin/a2a-agents'>, change: Change = {}) =>
  call('POST', '/admin/a2a-agents', { body, ...change });

export const updateAgent = (
  id: number,
  body: BodyOf<'PATCH', '/admin/a2a-agents/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/a2a-agents/{id}', { params: { id }, body, ...change });

export const deleteAgent = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/a2a-agents/{id}', { params: { id }, ...change });
