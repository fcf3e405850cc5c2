// The audit log: who changed what, newest first.

import { call } from './http/call.ts';
import type { AnswerOf, QueryOf } from './http/routes.ts';

export type AuditRow = AnswerOf<'GET', '/admin/audit'>[number];

export const listAudit = (query: QueryOf<'GET', '/admin/audit'>, signal?: AbortSignal) =>
  call('GET', '/admin/audit', { query, signal });
