// Serves rate limits of principals (specification, "Limits and budget").

import { z } from 'zod';

import { camelKeys, snakeKeys } from '../../lib/case.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import { listLimits } from '../../../projections/tables/limits.ts';
import type { LimitsRow } from '../../../projections/tables/limits.ts';
import { namesOf } from '../../control/access/record-details.ts';
import { principalNames } from '../../control/access/principal-names.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { perMinuteField } from '../../lib/amounts.ts';
import { principalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { asOfQuery } from '../http/as-of.ts';
import type { AccessNeeds } from './needs.ts';
import { idIn } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { answerOne, answerPage, countWhere, byPrincipal, listQuery } from '../lists/page.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const perMinute = z.int().positive().nullable();

/** Null means unlimited. */
const limitsRecord = z.object({
  principal_id: principalId,
  principal: z.string(),
  requests_per_min: perMinute,
  tokens_per_min: perMinute,
});

const params = idIn(principalId);
const config = { permission: 'config:write', query: none } as const;

export const limitsRoutes = [
  route({
    method: 'GET',
    path: '/admin/limits',
    operation: 'listLimits',
    permission: 'usage:read',
    summary: 'List principals with rate limits',
    refusals: [],
    params: none,
    query: listQuery(limitsRecord),
    body: none,
    response: z.array(limitsRecord),
    handle: ({ query }, call, needs: AccessNeeds) =>
      answerPage(call, query, {
        record: limitsRecord,
        ...byPrincipal,
        rows: (page) => listLimits(needs.db, page),
        total: ({ principal }) => countWhere(principal.byId.values(), (one) => one.limits !== null),
        rowsIn: ({ principal }) => [...principal.byId.values()].flatMap(rowsOf),
        toBody: (rows) => toRecords(needs, rows),
      }),
  }),
  route({
    method: 'GET',
    permission: 'usage:read',
    body: none,
    path: '/admin/principals/{id}/limits',
    operation: 'getLimits',
    summary: 'Get the rate limits of a principal; 404 if it has none',
    refusals: ['absent'],
    params,
    query: asOfQuery,
    response: limitsRecord,
    handle: ({ params: { id }, query }, call, needs: AccessNeeds) =>
      answerOne(call, query, {
        rowIn: ({ principal }) => rowsOf(principal.byId.get(id))[0] ?? null,
        toBody: (rows) => toRecords(needs, rows),
        absent: noLimits(id),
      }),
  }),
  route({
    ...config,
    method: 'PUT',
    path: '/admin/principals/{id}/limits',
    operation: 'setLimits',
    summary: 'Replace the rate limits of a principal; absent fields are unlimited',
    refusals: ['absent'],
    params,
    body: z.strictObject({
      requests_per_min: perMinuteField.nullable().default(null),
      tokens_per_min: perMinuteField.nullable().default(null),
    }),
    response: limitsRecord,
    handle: ({ params: { id }, body }, call, { vault }: AccessNeeds) => {
      const command = { type: 'SetLimits', id, limits: camelKeys(body) } as const;
      return mutate(call, { command }, async ({ state }, db) => {
        const principal = written(state.principal, id);
        const names = await principalNames({ vault, db }, [principal]);
        return { principal_id: id, principal: names.get(id) ?? '', ...body };
      });
    },
  }),
  deleteRoute({
    path: '/admin/principals/{id}/limits',
    operation: 'clearLimits',
    summary: 'Delete the rate limits of a principal',
    id: principalId,
    command: (id) => ({ type: 'ClearLimits', id }),
  }),
] as const;

const noLimits = (id: number): Refusal =>
  refuse('absent', `principal ${id} does not exist or has no rate limits`);

const rowsOf = (principal: Principal | undefined): LimitsRow[] =>
  principal === undefined || principal.limits === null
    ? []
    : [
        {
          principal_id: principal.id,
          principal: principal.name.text,
          principal_name_ref: principal.name.ref,
          ...snakeKeys(principal.limits),
        },
      ];

async function toRecords(reading: Revealing, rows: readonly LimitsRow[]) {
  const nameOf = await namesOf(reading, rows);
  return rows.map(({ principal_name_ref: ref, principal, ...row }) => ({
    principal_id: row.principal_id,
    principal: nameOf({ principal, principal_name_ref: ref }),
    requests_per_min: row.requests_per_min,
    tokens_per_min: row.tokens_per_min,
  }));
}
