// What the process was started with, and what an operator asks of it.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf } from './http/routes.ts';

export type Config = AnswerOf<'GET', '/admin/config'>;

export const getConfig = (signal?: AbortSignal) => call('GET', '/admin/config', { signal });

export const rebuildSnapshot = (change: Change = {}) =>
  call('POST', '/admin/snapshot/rebuild', { ...change });

export const revokeAllSessions = (change: Change = {}) =>
  call('POST', '/admin/sessions/revoke-all', { ...change });
