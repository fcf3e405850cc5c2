// The managed deployment.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf } from './http/routes.ts';

export type Deployment = AnswerOf<'GET', '/admin/deployment'>;

export const getDeployment = (signal?: AbortSignal) => call('GET', '/admin/deployment', { signal });

export const updateDeployment = (body: BodyOf<'PATCH', '/admin/deployment'>, change: Change = {}) =>
  call('PATCH', '/admin/deployment', { body, ...change });
