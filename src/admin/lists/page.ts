// Pages lists of configuration, with the total and a link to the next page (RFC 8288). Filters, search
// and sorting apply to all records, of the present or the past.
//
// A plain list is read from its table page by page. A filtered, searched or sorted list is built from
// the configuration in memory.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { Page } from '../../../projections/tables/page.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { isStorable } from '../../lib/text.ts';
import { asOf, pastHeaders, pastState } from '../http/as-of.ts';
import type { AskedMoment } from '../http/as-of.ts';
import { withVersions } from '../http/entity.ts';
import { limitQuery, rowsMax } from '../http/fields.ts';
import { filtersBy, listFields, sortBy, valueIn } from './list-fields.ts';
import { isPlain, orderOf, readSelection, select } from './list-selection.ts';
import type { Selection } from './list-selection.ts';
import type { Answer, Call } from '../http/route.ts';

/**
 * Opaque to clients. A cursor that no list returned is refused, because it would start the list at
 * a random place.
 */
const cursor = z
  .string()
  .max(12_000)
  .refine((text) => encode(decode(text)) === text, 'must be a cursor that this list returned')
  .meta({ pattern: '^[A-Za-z0-9_-]*$' })
  .transform(decode)
  .optional();

const searchMax = 200;

export function listQuery<Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>) {
  return z.strictObject({
    ...filtersBy(record),
    limit: limitQuery({ standard: rowsMax }),
    after: cursor,
    ...asOf,
    q: z.string().min(1).max(searchMax).optional(),
    sort: sortBy(listFields(record)).optional(),
  });
}

/** `after` is decoded. */
type Asked = AskedMoment &
  Readonly<{
    limit: number;
    after?: string | undefined;
    q?: string | undefined;
    sort?: string | undefined;
  }>;

/** Decodes the record key in a cursor. Null if the list cannot have returned it. */
export const byId = {
  key: 'id',
  readKey: (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null),
} as const;
export const byPrincipal = { ...byId, key: 'principal_id' } as const;
export const byName = {
  key: 'name',
  readKey: (text: string): string | null => (isStorable(text) ? text : null),
} as const;

export type List<Key extends string | number, Row extends object, Body extends object> = Readonly<{
  record: z.ZodObject;
  /** The unique field by which the list is sorted by default. */
  key: 'id' | 'name' | 'principal_id';
  readKey: (text: string) => Key | null;
  /** Reads the rows from the table. */
  rows: (page: Page<Key>) => Promise<readonly Row[]>;
  /** Counts the rows without the table, so that the time of a page does not depend on its size. */
  total: (state: ConfigState) => number;
  /**
   * All rows of this configuration, in any order. Rows and records share the names and values of
   * text, number and boolean fields.
   */
  rowsIn: (state: ConfigState) => readonly Row[];
  /** `past` is null for rows of the present. */
  toBody: (
    rows: readonly Row[],
    past: ConfigState | null,
  ) => Promise<readonly Body[]> | readonly Body[];
}>;

export async function answerPage<
  Key extends string | number,
  Row extends object,
  Body extends object,
>(
  call: Pick<Call, 'path' | 'config' | 'entity'>,
  asked: Asked,
  list: List<Key, Row, Body>,
): Promise<Answer<Body[]> | Refusal> {
  const past = await pastState(call, asked);
  if (isRefusal(past)) return past;
  const state = past ?? call.config.state();
  const selection = readSelection(asked, list.record);
  const found =
    past === null && isPlain(selection)
      ? await tablePage(asked, list, state)
      : await selectedPage({ asked, selection, past, state }, list);
  if (isRefusal(found)) return found;
  const { records, total, next } = found;
  const headers = {
    'x-total-count': String(total),
    ...(next === null ? {} : { link: linkTo(call.path, asked, { next, past }) }),
    ...(past === null ? {} : pastHeaders(call, past)),
  };
  return { headers, body: withVersions(records, { path: call.path, state }) };
}

type Found<Body> = Readonly<{
  records: readonly Body[];
  total: number;
  /** The decoded cursor of the next page. */
  next: string | null;
}>;

const badCursor = refuse('invalid', 'after: must be a cursor that this list returned', {
  param: 'after',
});

/** Reads one extra row to find out whether there is a next page. */
async function tablePage<Key extends string | number, Row extends object, Body extends object>(
  { limit, after }: Asked,
  list: List<Key, Row, Body>,
  state: ConfigState,
): Promise<Found<Body> | Refusal> {
  const key = after === undefined ? null : list.readKey(after);
  if (after !== undefined && key === null) return badCursor;
  const found = await list.rows({ after: key, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const next = last === undefined ? null : String(valueIn(last, list.key));
  return { records: await list.toBody(rows, null), total: list.total(state), next };
}

type Selecting = Readonly<{
  asked: Asked;
  selection: Selection;
  past: ConfigState | null;
  state: ConfigState;
}>;

async function selectedPage<Key extends string | number, Row extends object, Body extends object>(
  { asked: { limit, after }, selection, past, state }: Selecting,
  list: List<Key, Row, Body>,
): Promise<Found<Body> | Refusal> {
  const order = orderOf(selection, list);
  const from = after === undefined ? null : order.read(after);
  if (after !== undefined && from === null) return badCursor;
  const pageOf = <One extends object>(all: readonly One[]) => {
    const sorted = all.toSorted((one, other) =>
      order.compare(order.placeOf(one), order.placeOf(other)),
    );
    const rest =
      from === null ? sorted : sorted.filter((one) => order.compare(order.placeOf(one), from) > 0);
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    const next = last === undefined ? null : order.write(order.placeOf(last));
    return { page, total: all.length, next };
  };
  const rows = list.rowsIn(state);
  if (isPlain(selection)) {
    const { page, ...found } = pageOf(rows);
    return { ...found, records: await list.toBody(page, past) };
  }
  const likely = select.rows(rows, selection);
  const { page, ...found } = pageOf(select.records(await list.toBody(likely, past), selection));
  return { ...found, records: page };
}

type NextPage = Readonly<{ next: string; past: ConfigState | null }>;

/**
 * Names the moment by log position, because the same time may later resolve to another position.
 */
function linkTo(path: string, asked: Asked, { next, past }: NextPage): string {
  const { as_of: _moment, after: _after, ...rest } = asked;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  parameters.set('after', encode(next));
  if (past !== null) parameters.set('as_of', String(past.position));
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

type One<Row, Body> = Readonly<{
  /** Null if this configuration does not contain the record. */
  rowIn: (state: ConfigState) => Row | null;
  toBody: List<never, Row & object, Body & object>['toBody'];
  absent: Refusal;
}>;

export async function answerOne<Row extends object, Body extends object>(
  call: Pick<Call, 'config' | 'entity'>,
  asked: AskedMoment,
  { rowIn, toBody, absent }: One<Row, Body>,
): Promise<Answer<Body> | Refusal> {
  const past = await pastState(call, asked);
  if (isRefusal(past)) return past;
  const row = rowIn(past ?? call.config.state());
  const [body] = row === null ? [] : await toBody([row], past);
  if (body === undefined) return absent;
  return past === null ? { body } : { headers: pastHeaders(call, past), body };
}

export function countWhere<Value>(
  values: Iterable<Value>,
  isCounted: (value: Value) => boolean,
): number {
  let count = 0;
  for (const value of values) if (isCounted(value)) count++;
  return count;
}
