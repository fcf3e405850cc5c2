// The replicas, and the process that answers.

import { call } from './http/call.ts';
import type { AnswerOf } from './http/routes.ts';

export type Replica = AnswerOf<'GET', '/admin/fleet'>[number];
export type Health = AnswerOf<'GET', '/admin/health'>;

export const getFleet = (signal?: AbortSignal) => call('GET', '/admin/fleet', { signal });

export const getHealth = (signal?: AbortSignal) => call('GET', '/admin/health', { signal });
