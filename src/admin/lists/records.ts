// The two routes that read the records of a noun: the list, and one by its id. Both answer for the present and for a past moment.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Noun } from '../../../events/nouns.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { countRows } from '../../../projections/tables/page.ts';
import type { Page } from '../../../projections/tables/page.ts';
import type { EntityTable } from '../../../projections/tables/table.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { asOfQuery } from '../http/as-of.ts';
import type { Control } from '../control.ts';
import { idIn } from '../http/fields.ts';
import { answerOne, answerPage, listQuery } from './page.ts';
import type { List } from './page.ts';
import { none, route } from '../http/route.ts';
import type { Route, TypedRoute } from '../http/route.ts';

type None = typeof none;
type Id = z.ZodType<number, number>;

type Records<
  Path extends string,
  OwnId extends Id,
  Body extends z.ZodObject,
  Key extends string | number,
  Row extends object,
> = Readonly<{
  noun: Exclude<Noun, 'settings'>;
  path: Path;
  operations: readonly [list: string, one: string];
  summaries: readonly [list: string, one: string];
  id: OwnId;
  record: Body;
  order: Pick<List<Key, Row, object>, 'key' | 'readKey'>;
  /** The records that the list counts, and a page of them. */
  table: EntityTable;
  rows: (db: Queryable, page: Page<Key>, state: ConfigState) => Promise<readonly Row[]>;
  /** Called with the id of an entity in the state. Null where it makes no row. */
  rowIn: (state: ConfigState, id: number) => Row | null;
  /** All rows, where they are made faster together than one by one. */
  rowsIn?: (state: ConfigState) => readonly Row[];
  /** `past` is null for rows of the present. */
  toBody: (
    rows: readonly Row[],
    control: Control,
    past: ConfigState | null,
  ) => readonly z.input<Body>[] | Promise<readonly z.input<Body>[]>;
  absent: (id: number) => Refusal;
}>;

type ListQuery<Body extends z.ZodObject> = ReturnType<typeof listQuery<Body['shape']>>;

export function readRoutes<
  const Path extends string,
  OwnId extends Id,
  Body extends z.ZodObject,
  Key extends string | number,
  Row extends object,
>(
  records: Records<Path, OwnId, Body, Key, Row>,
): readonly [
  TypedRoute<'GET', Path, None, ListQuery<Body>, None, z.ZodArray<Body>>,
  TypedRoute<'GET', `${Path}/{id}`, ReturnType<typeof idIn<OwnId>>, typeof asOfQuery, None, Body>,
];
export function readRoutes<Key extends string | number, Row extends object>({
  noun,
  path,
  operations,
  summaries,
  id: ownId,
  record,
  order,
  table,
  rows,
  rowIn,
  rowsIn = (state) =>
    [...state[noun].byId.keys()].map((id) => rowIn(state, id)).filter((row) => row !== null),
  toBody,
  absent,
}: Records<string, Id, z.ZodObject, Key, Row>): readonly Route[] {
  const reading = { method: 'GET', permission: 'usage:read', body: none } as const;
  return [
    route({
      ...reading,
      path,
      operation: operations[0],
      summary: summaries[0],
      refusals: [],
      params: none,
      // oxlint-disable-next-line typescript/no-generated-empty-object-type -- its fields are not known here
      query: listQuery<Record<never, never>>(record),
      response: z.array(record),
      handle: ({ query }, call) =>
        answerPage(call, query, {
          record,
          ...order,
          rows: (page) => rows(call.control.db, page, call.control.state()),
          total: () => countRows(call.control.db, table),
          rowsIn,
          toBody: (found, past) => toBody(found, call.control, past),
        }),
    }),
    route({
      ...reading,
      path: `${path}/{id}`,
      operation: operations[1],
      summary: summaries[1],
      refusals: ['absent'],
      params: idIn(ownId),
      query: asOfQuery,
      response: record,
      handle: ({ params: { id }, query }, call) =>
        answerOne(call, query, {
          rowIn: (state) => (state[noun].byId.has(id) ? rowIn(state, id) : null),
          toBody: (found, past) => toBody(found, call.control, past),
          absent: absent(id),
        }),
    }),
  ];
}
