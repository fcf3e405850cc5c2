// Serves the liveness and readiness checks.

import { z } from 'zod';

import { refuseUnready } from '../../control/readiness.ts';
import { refuse } from '../../lib/refusal.ts';
import type { OperationNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const status = z.object({ status: z.literal('ok') });
const monotonic = (): number => performance.now();
const ok = { body: { status: 'ok' } } as const;

export const healthRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealthz',
    permission: 'open',
    summary: 'Liveness check; returns 200 while the process runs',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: status,
    handle: () => ok,
  }),
  route({
    method: 'GET',
    path: '/readyz',
    operation: 'getReadyz',
    permission: 'open',
    summary:
      'Readiness check; returns 200 if the database is writable and this process has read the whole log',
    refusals: ['unavailable'],
    params: none,
    query: none,
    body: none,
    response: status,
    handle: async (_input, { config }, needs: OperationNeeds) => {
      if (needs.program.isLeaving()) {
        return refuse('unavailable', 'this process is shutting down', { retryAfterSeconds: 1 });
      }
      return (await refuseUnready({ ...needs, monotonic }, config)) ?? ok;
    },
  }),
] as const;
