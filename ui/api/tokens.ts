// Admin tokens. Only the answer to the creation of a token holds the token itself.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf, RowOf } from './http/routes.ts';

export type AdminToken = RowOf<'/admin/tokens'>;
export type MadeAdminToken = AnswerOf<'POST', '/admin/tokens'>;

export const listTokens = (signal?: AbortSignal) => list('/admin/tokens', { signal });

export const createToken = (body: BodyOf<'POST', '/admin/tokens'>, change: Change = {}) =>
  call('POST', '/admin/tokens', { body, ...change });

export const revokeToken = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/tokens/{id}', { params: { id }, ...change });
