// Builds the two routes that read a noun, of the present or the past: the list, and one record by
// id.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Noun } from '../../../events/nouns.ts';
import { absent as absentOf } from '../../../projections/config/find.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Page } from '../../../projections/tables/page.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { asOfQuery } from '../http/as-of.ts';
import { idIn } from '../http/fields.ts';
import { answerOne, answerPage, listQuery } from './page.ts';
import type { List } from './page.ts';
import { none, route } from '../http/route.ts';
import type { Route, TypedRoute } from '../http/route.ts';

export type None = typeof none;
export type IdIn<OwnId extends Id> = ReturnType<typeof idIn<OwnId>>;
export type Id = z.ZodType<number, number>;

export type Records<
  Path extends string,
  OwnId extends Id,
  Body extends z.ZodObject,
  Key extends string | number,
  Row extends object,
  Needs extends Reading,
> = Readonly<{
  noun: Exclude<Noun, 'settings'>;
  path: Path;
  /** Names in generated clients. */
  called: readonly [one: string, several: string];
  summaries: Readonly<{ list: string; one: string }>;
  id: OwnId;
  record: Body;
  order: Pick<List<Key, Row, object>, 'key' | 'readKey'>;
  rows: (db: Queryable, page: Page<Key>, state: ConfigState) => Promise<readonly Row[]>;
  /** Null if the entity has no row. */
  rowIn: (state: ConfigState, id: number) => Row | null;
  /** Builds all rows at once where that is faster. */
  rowsIn?: (state: ConfigState) => readonly Row[];
  /** `past` is null for rows of the present. */
  toBody: (
    rows: readonly Row[],
    needs: Needs,
    past: ConfigState | null,
  ) => readonly z.input<Body>[] | Promise<readonly z.input<Body>[]>;
  absent?: (id: number) => Refusal;
}>;

/** `toBody` may need more. */
export type Reading = Readonly<{ db: Queryable }>;

type ListQuery<Body extends z.ZodObject> = ReturnType<typeof listQuery<Body['shape']>>;

export type ReadRoutes<
  Path extends string,
  OwnId extends Id,
  Body extends z.ZodObject,
  Needs,
> = readonly [
  TypedRoute<'GET', Path, None, ListQuery<Body>, None, z.ZodArray<Body>, Needs>,
  TypedRoute<'GET', `${Path}/{id}`, IdIn<OwnId>, typeof asOfQuery, None, Body, Needs>,
];

export function readRoutes<
  const Path extends string,
  OwnId extends Id,
  Body extends z.ZodObject,
  Key extends string | number,
  Row extends object,
  Needs extends Reading,
>(records: Records<Path, OwnId, Body, Key, Row, Needs>): ReadRoutes<Path, OwnId, Body, Needs>;
export function readRoutes<Key extends string | number, Row extends object, Needs extends Reading>({
  noun,
  path,
  called: [one, several],
  summaries,
  id: ownId,
  record,
  order,
  rows,
  rowIn,
  rowsIn = (state) =>
    [...state[noun].byId.keys()].map((id) => rowIn(state, id)).filter((row) => row !== null),
  toBody,
  absent = (id) => absentOf(noun, id),
}: Records<string, Id, z.ZodObject, Key, Row, Needs>): readonly Route<Needs>[] {
  const reading = { method: 'GET', permission: 'usage:read', body: none } as const;
  return [
    route({
      ...reading,
      path,
      operation: `list${several}`,
      summary: summaries.list,
      refusals: [],
      params: none,
      // oxlint-disable-next-line typescript/no-generated-empty-object-type -- its fields are not known here
      query: listQuery<Record<never, never>>(record),
      response: z.array(record),
      handle: ({ query }, call, needs: Needs) =>
        answerPage(call, query, {
          record,
          ...order,
          rows: (page) => rows(needs.db, page, call.config.state()),
          total: (state) => state[noun].byId.size,
          rowsIn,
          toBody: (found, past) => toBody(found, needs, past),
        }),
    }),
    route({
      ...reading,
      path: `${path}/{id}`,
      operation: `get${one}`,
      summary: summaries.one,
      refusals: ['absent'],
      params: idIn(ownId),
      query: asOfQuery,
      response: record,
      handle: ({ params: { id }, query }, call, needs: Needs) =>
        answerOne(call, query, {
          rowIn: (state) => (state[noun].byId.has(id) ? rowIn(state, id) : null),
          toBody: (found, past) => toBody(found, needs, past),
          absent: absent(id),
        }),
    }),
  ];
}
