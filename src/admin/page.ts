// Lists of configuration: pages that say how many rows there are in all and where the next one begins (RFC 8288).

import { z } from 'zod';

import type { Page } from '../../projections/tables/page.ts';
import { isStorable } from '../lib/text.ts';
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
    // What a list never answered would begin it at random.
    .refine((text) => encode(decode(text)) === text, 'must be what the list answered')
    .transform(decode)
    .pipe(key)
    .optional();

/** Of a list in the order of ids. */
export const pageById = z.strictObject({ limit, after: cursor(wholeNumber({ from: 0 })) });

/** Of a list in the order of names. */
export const pageByName = z.strictObject({
  limit,
  after: cursor(z.string().refine(isStorable, 'must be what the list answered')),
});

type Asked<Key> = Readonly<{ limit: number; after?: Key | undefined }>;

type List<Key, Row, Body> = Readonly<{
  rows: (page: Page<Key>) => Promise<readonly Row[]>;
  total: () => Promise<number>;
  keyOf: (row: Row) => Key;
  toBody: (rows: readonly Row[]) => Promise<Body[]> | Body[];
}>;

/** One row more than asked for tells whether there is a next page. */
export async function answerPage<Key extends string | number, Row, Body>(
  { path, control }: Pick<Call, 'path' | 'control'>,
  { limit, after }: Asked<Key>,
  { rows, total, keyOf, toBody }: List<Key, Row, Body>,
): Promise<Answer<Body[]>> {
  const state = control.state();
  const [found, count] = await Promise.all([
    rows({ after: after ?? null, limit: limit + 1 }),
    total(),
  ]);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next =
    found.length > limit && last !== undefined
      ? { link: `<${path}?limit=${limit}&after=${encode(keyOf(last))}>; rel="next"` }
      : {};
  const headers = { 'x-total-count': String(count), ...next };
  return { headers, body: withVersions(await toBody(page), { path, state }) };
}

function encode(key: string | number): string {
  return Buffer.from(String(key)).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}
