// API keys; the key itself is in the answer to its creation alone.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf, RowOf } from './http/routes.ts';

export type ApiKey = RowOf<'/admin/keys'>;
export type MadeApiKey = AnswerOf<'POST', '/admin/keys'>;

export const listKeys = (signal?: AbortSignal) => list('/admin/keys', { signal });

export const createKey = (body: BodyOf<'POST', '/admin/keys'>, change: Change = {}) =>
  call('POST', '/admin/keys', { body, ...change });

export const revokeKey = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/keys/{id}', { params: { id }, ...change });
