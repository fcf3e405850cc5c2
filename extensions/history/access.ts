// Reviews who could call what at any moment of the log, and the differences between two moments.

import { Readable } from 'node:stream';

import { z } from 'zod';

import { eventMetadata } from '../../events/event.ts';
import { accessChanges, accessOf } from '../../projections/access.ts';
import type { AccessKey } from '../../projections/access.ts';
import { accessPage } from '../../projections/access-page.ts';
import type { AccessRow } from '../../projections/access-review.ts';
import { reviewedAt, reviewer } from '../../src/control/history/access.ts';
import { csvPieces } from './access-csv.ts';
import { momentField } from '../../src/control/history/moment.ts';
import { timestamp } from '../../src/lib/fields.ts';
import { mapped } from '../../src/lib/mapped.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import type { HistoryNeeds } from '../../src/admin/history/needs.ts';
import type { Configuration } from '../../src/control/commands/configuration.ts';
import { limitQuery } from '../../src/admin/http/fields.ts';
import { inTurns } from '../../src/admin/http/in-turns.ts';
import { sources } from '../../src/admin/history/snapshots.ts';
import { none, route } from '../../src/admin/http/route.ts';

const granted = z
  .object({
    position: z.int(),
    at: timestamp,
    actor_kind: eventMetadata.shape.actor.shape.kind,
    actor_id: z.int().nullable(),
    actor_name: z.string().nullable(),
  })
  .nullable();

const accessFields = {
  principal_id: z.int(),
  principal: z.string(),
  model_id: z.int(),
  model: z.string(),
  via: z
    .array(
      z.object({
        role_id: z.int(),
        role: z.string(),
        resource: z.string(),
        role_granted: granted,
        permission_granted: granted,
      }),
    )
    .readonly(),
  keys: z.array(z.int()).readonly(),
};
const accessRecord = z.object(accessFields);
const changeRecord = z.object({ change: z.enum(['gained', 'lost']), ...accessFields });

/** `<principal id>.<model id>` of the last row of the page. */
const after = z
  .string()
  .regex(/^\d{1,15}\.\d{1,15}$/, 'must be a cursor that this list returned')
  .transform((text): AccessKey => {
    const [principalId = 0, modelId = 0] = text.split('.').map(Number);
    return { principalId, modelId };
  })
  .optional();

const page = { after, limit: limitQuery({ standard: 1_000 }) };
const reading = {
  method: 'GET',
  permission: 'usage:read',
  tag: 'History',
  body: none,
  params: none,
} as const;

export const accessRoutes = [
  route({
    ...reading,
    path: '/admin/access',
    operation: 'reviewAccess',
    summary:
      'Who could call what, and the events that granted it; format=csv returns all rows as CSV',
    refusals: ['absent'],
    query: z.strictObject({
      ...page,
      as_of: momentField.optional(),
      format: z
        .enum(['json', 'csv'])
        .default('json')
        .meta({ description: 'json, or csv for a spreadsheet.' }),
    }),
    response: z.array(accessRecord),
    handle: async (
      { query: { as_of: moment, format, after: key = null, limit } },
      { config },
      needs: HistoryNeeds,
    ) => {
      if (moment === undefined) await config.refresh();
      const reviewed = await reviewedAt(momentsOf(needs, config), moment ?? null, 'as_of');
      if (isRefusal(reviewed)) return reviewed;
      const { state } = reviewed;
      const review = await reviewer(sources(needs), reviewed);
      const held = { 'x-gw-log-position': String(state.position) };
      if (format === 'csv') {
        const disposition = `attachment; filename="access-${state.position}.csv"`;
        const type = 'text/csv; charset=utf-8';
        return {
          headers: { ...held, 'content-type': type, 'content-disposition': disposition },
          stream: Readable.from(inTurns(csvPieces(mapped(accessOf(state), review)))),
        };
      }
      const { rows, hasMore } = accessPage(mapped(accessOf(state, key), review), limit);
      const page = { limit, rows, path: '/admin/access' };
      const next = hasMore ? nextLink(`as_of=${state.position}`, page) : {};
      return { headers: { ...held, ...next }, body: [...rows] };
    },
  }),
  route({
    ...reading,
    path: '/admin/access/diff',
    operation: 'diffAccess',
    summary: 'Who gained and who lost the right to call what, between two moments',
    refusals: ['absent'],
    query: z.strictObject({ ...page, from: momentField, to: momentField }),
    response: z.array(changeRecord),
    handle: async (
      { query: { from, to, after: key = null, limit } },
      { config },
      needs: HistoryNeeds,
    ) => {
      const before = await reviewedAt(momentsOf(needs, config), from, 'from');
      if (isRefusal(before)) return before;
      const behind = await reviewedAt(momentsOf(needs, config), to, 'to');
      if (isRefusal(behind)) return behind;
      const review = {
        lost: await reviewer(sources(needs), before),
        gained: await reviewer(sources(needs), behind),
      };
      const changes = mapped(accessChanges(before.state, behind.state, key), ({ change, access }) =>
        Object.assign({ change }, review[change](access)),
      );
      const { rows, hasMore } = accessPage(changes, limit);
      const moments = `from=${before.state.position}&to=${behind.state.position}`;
      const next = hasMore ? nextLink(moments, { limit, rows, path: '/admin/access/diff' }) : {};
      return { headers: next, body: [...rows] };
    },
  }),
] as const;

const momentsOf = ({ reports: db, clock }: HistoryNeeds, { past, state }: Configuration) => ({
  db,
  past,
  state,
  clock,
});

type Listed = Readonly<{
  limit: number;
  rows: readonly Pick<AccessRow, 'principal_id' | 'model_id'>[];
  path: string;
}>;

/** The next page reads the same moments. */
function nextLink(moments: string, { limit, rows, path }: Listed): Readonly<{ link?: string }> {
  const last = rows.at(-1);
  if (last === undefined) return {};
  const key = `${last.principal_id}.${last.model_id}`;
  return { link: `<${path}?${moments}&limit=${limit}&after=${key}>; rel="next"` };
}
