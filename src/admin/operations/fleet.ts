// Receives the reports of replicas and lists them, one row per replica, never merged
// (specification, "Fleet report").

import { z } from 'zod';

import { healthReport } from '../../snapshot/health-report.ts';
import type { MachineNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Enough for the maximum number of backends with long names. */
const reportBytesMax = 16 * 1024 * 1024;

const fleetRow = healthReport.extend({
  reported_at: z.iso.datetime(),
  /** When the replica first reported this snapshot version. */
  snapshot_since: z.iso.datetime(),
  age_seconds: z.int(),
});

export const fleetRoutes = [
  route({
    method: 'POST',
    path: '/health-report',
    operation: 'reportHealth',
    permission: 'proxy_token',
    summary: 'Report the state of a replica and its backends; replaces its previous report',
    status: 204,
    refusals: ['too_many'],
    bodyBytesMax: reportBytesMax,
    params: none,
    query: none,
    body: healthReport,
    response: none,
    handle: async ({ body }, _call, needs: MachineNeeds) => {
      const refusal = await needs.fleet.take(body);
      if (refusal !== null) return refusal;
      await needs.takeRefusals(body);
      await needs.takeNumbers(body);
      await needs.takeServed(body);
      await needs.takeSightings(body);
      return { body: {} };
    },
  }),
  route({
    method: 'GET',
    path: '/admin/fleet',
    operation: 'getFleet',
    permission: 'usage:read',
    summary: 'List the last report of each replica, at most 30 seconds old',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.array(fleetRow),
    handle: async (_input, _call, { fleet }: MachineNeeds) => ({ body: [...(await fleet.rows())] }),
  }),
] as const;
