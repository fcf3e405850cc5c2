// Reads usage rows and corrections for the archive, in pages, oldest first.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import type { Columns } from '../../columns.ts';
import { flag, integer, readRows, readValue, text } from '../../rows.ts';
import { currencyOf } from '../usage-amounts.ts';
import { usageEventColumns } from '../usage-events.ts';
import type { HourSpan } from './archive-checks.ts';
import type { ArchivePlace } from './archive-state.ts';

/**
 * The columns of archived rows. The name of the principal is left out, because it can be erased
 * and the archive is written once.
 */
const { principal: _name, currency: _nullable, ...kept } = usageEventColumns;

export const archivedColumns = {
  usage: { ...kept, currency: 'text not null', budget_window: 'timestamptz' },
  corrections: {
    usage_id: 'text not null',
    at: 'timestamptz not null',
    reprice_id: 'bigint not null',
    currency: 'text not null',
    delta_micros: 'bigint not null',
    estimated_delta_micros: 'bigint not null',
    cost_micros: 'bigint',
    price_version: 'bigint',
  },
} as const satisfies Readonly<Record<string, Columns>>;
export type Dataset = keyof typeof archivedColumns;

/** Times are microseconds since 1970, and JSON is text. */
const plainTypes: Readonly<Record<string, z.ZodType>> = {
  text,
  jsonb: text,
  bigint: integer,
  timestamptz: integer,
  boolean: flag,
};

function plainSchema(columns: Columns) {
  const shape = Object.entries(columns).map(([name, type]): [string, z.ZodType] => {
    const base = type.replace(' not null', '');
    const plain = plainTypes[base];
    if (plain === undefined) throw new Error(`column ${name} of type ${base} cannot be archived`);
    return [name, base === type ? plain.nullable() : plain];
  });
  return z.object(Object.fromEntries(shape)).extend({ place_at: text });
}

const schemas = {
  usage: plainSchema(archivedColumns.usage),
  corrections: plainSchema(archivedColumns.corrections),
};

/** A row by the names of its columns. `place_at` is the text of Postgres, which has microseconds. */
export type ArchivedRow = Readonly<Record<string, unknown>>;

const selected = (columns: Columns): SQLQuery =>
  sql.join(
    [
      ...Object.entries(columns).map(([name, type]) => {
        const column = sql.ident(name);
        if (name === 'currency') return sql`${currencyOf(column)} as currency`;
        if (type.startsWith('timestamptz'))
          return sql`(extract(epoch from ${column}) * 1000000)::bigint as ${column}`;
        return type.startsWith('jsonb') ? sql`${column}::text as ${column}` : column;
      }),
      sql`at::text as place_at`,
    ],
    sql`, `,
  );

const columnsOf = {
  usage: selected(archivedColumns.usage),
  corrections: selected(archivedColumns.corrections),
};

export type RowsAsked = Readonly<{
  /** Rows outside of these times are not read. In order. */
  spans: readonly HourSpan[];
  /** The rows of the generations after the first, up to the last. */
  generations: readonly [number, number];
  /** The rows after this one. */
  place: ArchivePlace | null;
  /** Up to this one. If absent, up to the end. */
  last?: ArchivePlace;
  limit: number;
}>;

/**
 * Fewer rows than the limit are the last ones. Throws if the server does not know that the
 * generation was closed, because then it may lack rows of it.
 */
export async function archivePage(
  db: Queryable,
  { spans, limit, ...asked }: RowsAsked,
): Promise<ArchivedRow[]> {
  const current = await readValue(db, integer.nullable())`select generation from op.usage_archive`;
  const [, upTo] = asked.generations;
  if (current === null || current <= upTo) {
    throw new Error(`a lagging database server was read: generation ${upTo} is open there`);
  }
  const rows: ArchivedRow[] = [];
  for (const span of spans) {
    rows.push(...(await rowsIn(db, { ...asked, span, limit: limit - rows.length })));
    if (rows.length === limit) break;
  }
  return rows;
}

type SpanAsked = Omit<RowsAsked, 'spans'> & Readonly<{ span: HourSpan }>;

/** Ordered by the columns of the table, as the index is. Without `held`, `at` is the number above. */
const rowsIn = (
  db: Queryable,
  { span: { since, until }, generations: [after, upTo], place, last, limit }: SpanAsked,
): Promise<ArchivedRow[]> =>
  readRows(db, schemas.usage)`
    select ${columnsOf.usage} from op.usage_events held
    where at >= greatest(${since.toISOString()}::timestamptz, ${place?.at ?? null}::timestamptz)
      and at < ${until.toISOString()}::timestamptz
      and ${place === null ? sql`true` : sql`(at, id) > (${place.at}::timestamptz, ${place.id})`}
      and ${last === undefined ? sql`true` : sql`(at, id) <= (${last.at}::timestamptz, ${last.id})`}
      and coalesce(archive_generation, 0) > ${after}
      and coalesce(archive_generation, 0) <= ${upTo}
    order by held.at, held.id limit ${limit}`;

type CorrectionsAsked = Pick<RowsAsked, 'place' | 'last' | 'limit'> & Readonly<{ id: number }>;

/** The corrections of a recomputation of costs. */
export const correctionPage = (
  db: Queryable,
  { id, place, last, limit }: CorrectionsAsked,
): Promise<ArchivedRow[]> =>
  readRows(db, schemas.corrections)`
    select ${columnsOf.corrections} from op.usage_corrections held
    where reprice_id = ${id}
      and ${place === null ? sql`true` : sql`${correctionKey} > ${keyAt(place)}`}
      and ${last === undefined ? sql`true` : sql`${correctionKey} <= ${keyAt(last)}`}
    order by held.at, held.usage_id, held.currency limit ${limit}`;

const correctionKey = sql`(at, usage_id, currency)`;

const keyAt = ({ at, id, currency = '' }: ArchivePlace): SQLQuery =>
  sql`(${at}::timestamptz, ${id}, ${currency})`;
