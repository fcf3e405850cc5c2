// Lists of configuration: pages that say how many rows there are in all and where the next one begins (RFC 8288).

import { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Page } from '../../projections/tables/page.ts';
import { isRefusal } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { compareText, isStorable } from '../lib/text.ts';
import { asOf, pastHeaders, pastState } from './as-of.ts';
import type { AskedMoment } from './as-of.ts';
import { withVersions } from './entity.ts';
import { limitQuery, rowsMax, wholeNumber } from './fields.ts';
import type { Answer, Call } from './route.ts';

/** Whoever asks for no page gets as many rows as one may have. */
const limit = limitQuery({ standard: rowsMax });

/** Opaque on the wire: the key of the last row held. */
const cursor = <Key extends z.ZodType<unknown, string>>(key: Key) =>
  z
    .string()
    .max(2_000)
    .meta({ pattern: '^[A-Za-z0-9_-]*$' })
    // What a list never answered would begin it at random.
    .refine((text) => encode(decode(text)) === text, 'must be what the list answered')
    .transform(decode)
    .pipe(key)
    .optional();

/** Of a list in the order of ids. */
export const pageById = z.strictObject({
  limit,
  after: cursor(wholeNumber({ from: 0 })),
  ...asOf,
});

/** Of a list in the order of names. */
export const pageByName = z.strictObject({
  limit,
  after: cursor(z.string().refine(isStorable, 'must be what the list answered')),
  ...asOf,
});

type Asked<Key> = AskedMoment & Readonly<{ limit: number; after?: Key | undefined }>;

type List<Key, Row, Body> = Readonly<{
  rows: (page: Page<Key>) => Promise<readonly Row[]>;
  total: () => Promise<number>;
  /** All rows of the list when the configuration was this one, in any order. */
  past: (state: ConfigState) => readonly Row[];
  keyOf: (row: Row) => Key;
  /** `past` is null for rows of the present. */
  toBody: (rows: readonly Row[], past: ConfigState | null) => Promise<Body[]> | Body[];
}>;

/** One row more than asked for tells whether there is a next page. */
export async function answerPage<Key extends string | number, Row, Body>(
  call: Pick<Call, 'path' | 'control' | 'entity'>,
  asked: Asked<Key>,
  list: List<Key, Row, Body>,
): Promise<Answer<Body[]> | Refusal> {
  const past = await pastState(call, asked);
  if (isRefusal(past)) return past;
  const state = past ?? call.control.state();
  const page = { after: asked.after ?? null, limit: asked.limit + 1 };
  const [found, count] =
    past === null
      ? await Promise.all([list.rows(page), list.total()])
      : pageOf(list.past(past), page, list.keyOf);
  const rows = found.slice(0, asked.limit);
  const last = rows.at(-1);
  const hasNext = found.length > asked.limit && last !== undefined;
  const next = { ...asked, after: hasNext ? list.keyOf(last) : undefined };
  const headers = {
    'x-total-count': String(count),
    ...(hasNext ? { link: linkTo(call.path, next, past) } : {}),
    ...(past === null ? {} : pastHeaders(call, past)),
  };
  const records = await list.toBody(rows, past);
  return { headers, body: withVersions(records, { path: call.path, state }) };
}

/** As the tables would answer: the page, and how many rows there are in all. */
function pageOf<Key extends string | number, Row>(
  rows: readonly Row[],
  { after, limit }: Page<Key>,
  keyOf: (row: Row) => Key,
): [readonly Row[], number] {
  const behind = rows.filter((row) => after === null || compareKeys(keyOf(row), after) > 0);
  const sorted = behind.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
  return [sorted.slice(0, limit), rows.length];
}

const compareKeys = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : compareText(String(one), String(other));

/** The next page is of the same moment, by its position: a time may come to mean another. */
function linkTo<Key extends string | number>(
  path: string,
  { limit, after }: Asked<Key>,
  past: ConfigState | null,
): string {
  const moment = past === null ? '' : `&as_of=${past.position}`;
  return `<${path}?limit=${limit}&after=${encode(after ?? '')}${moment}>; rel="next"`;
}

function encode(key: string | number): string {
  return Buffer.from(String(key)).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}
