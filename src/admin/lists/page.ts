// Lists of configuration: pages that say how many records there are in all and where the next page begins (RFC 8288). Filters, search
// and sorting apply to all records, of now or of a moment of the past.
//
// A plain list is read from its table, page by page. A list with a filter, a search or a sort is made from the configuration in
// memory, which holds every record.

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

/** Opaque on the wire. Text that no list ever answered would begin the list at random. */
const cursor = z
  .string()
  .max(12_000)
  .refine((text) => encode(decode(text)) === text, 'must be what the list answered')
  .meta({ pattern: '^[A-Za-z0-9_-]*$' })
  .transform(decode)
  .optional();

const searchMax = 200;

/** What any list can be asked, by the schema of its records. */
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

/** How a list reads the key of its records from a cursor; null when the list cannot have answered it. */
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
  /** The field of the record that orders the list and is unique in it. */
  key: 'id' | 'name' | 'principal_id';
  readKey: (text: string) => Key | null;
  /** From the table. */
  rows: (page: Page<Key>) => Promise<readonly Row[]>;
  total: () => Promise<number>;
  /**
   * All rows of the list in this configuration, in any order. A text, number or boolean of a row is that of its record, under the same
   * name.
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
      ? await tablePage(asked, list)
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
  /** The cursor of the next page, decoded. */
  next: string | null;
}>;

const badCursor = refuse('invalid', 'after: must be what the list answered', { param: 'after' });

/** One row more than asked for tells whether there is a next page. */
async function tablePage<Key extends string | number, Row extends object, Body extends object>(
  { limit, after }: Asked,
  list: List<Key, Row, Body>,
): Promise<Found<Body> | Refusal> {
  const key = after === undefined ? null : list.readKey(after);
  if (after !== undefined && key === null) return badCursor;
  const [found, total] = await Promise.all([
    list.rows({ after: key, limit: limit + 1 }),
    list.total(),
  ]);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const next = last === undefined ? null : String(valueIn(last, list.key));
  return { records: await list.toBody(rows, null), total, next };
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

/** The same question for the next page. It names the moment by its position, because a time can come to mean another one. */
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
  /** Null when there is none in this configuration. */
  rowIn: (state: ConfigState) => Row | null;
  toBody: List<never, Row & object, Body & object>['toBody'];
  absent: Refusal;
}>;

/** One record of a list, of now or of a moment of the past. */
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
