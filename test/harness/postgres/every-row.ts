// Reads everything that a database stores as text, to search it for values that must not be there.
// Covers every column (bytes also as text), index expressions, large objects, planner statistics
// and the statements of sessions.

import { zstdDecompressSync } from 'node:zlib';

import type { Client } from 'pg';

/** `table` names the place that it was read from. */
export type TableText = Readonly<{ table: string; text: string }>;

type Session = Pick<Client, 'query'>;

export async function everyRow(client: Session): Promise<readonly TableText[]> {
  const { rows: tables } = await client.query<{ name: string }>(`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'm') and nspname not like 'pg\\_%' and nspname <> 'information_schema'`);
  const texts: TableText[] = [];
  for (const { name: table } of tables) {
    texts.push({
      table,
      text: await linesOf(client, `select held::text as text from ${table} held`),
    });
    texts.push(...(await bytesOf(client, table)), ...(await indexedOf(client, table)));
  }
  for (const [table, statement] of elsewhere) {
    if (await isThere(client, table)) texts.push({ table, text: await linesOf(client, statement) });
  }
  return texts;
}

async function linesOf(client: Session, statement: string): Promise<string> {
  const { rows } = await client.query<{ text: string | null }>(statement);
  return rows.map(({ text }) => text ?? '').join('\n');
}

/** The bytes as stored and, if compressed (RFC 8878), also decompressed. */
async function bytesOf(client: Session, table: string): Promise<readonly TableText[]> {
  const { rows: columns } = await client.query<{ name: string }>(`
    select attname as name from pg_attribute
    where attrelid = '${table}'::regclass and atttypid = 'bytea'::regtype and not attisdropped`);
  const texts: TableText[] = [];
  for (const { name } of columns) {
    const { rows } = await client.query<{ bytes: Buffer }>(
      `select "${name}" as bytes from ${table} where "${name}" is not null`,
    );
    const text = rows.map(({ bytes }) => unpacked(bytes).toString('latin1')).join('\n');
    texts.push({ table: `${table}.${name}`, text });
  }
  return texts;
}

const zstdMagic = Buffer.from('28b52ffd', 'hex');

const unpacked = (bytes: Buffer): Buffer =>
  bytes.subarray(0, zstdMagic.length).equals(zstdMagic) ? zstdDecompressSync(bytes) : bytes;

/** The values of indexes on expressions. */
async function indexedOf(client: Session, table: string): Promise<readonly TableText[]> {
  const { rows: expressions } = await client.query<{ name: string; expression: string }>(`
    select indexrelid::regclass::text as name,
      pg_get_indexdef(indexrelid, place, true) as expression
    from pg_index, generate_series(1, indnkeyatts) as place
    where indrelid = '${table}'::regclass and indkey[place - 1] = 0`);
  const texts: TableText[] = [];
  for (const { name, expression } of expressions) {
    const statement = `select (${expression})::text as text from ${table}`;
    texts.push({ table: name, text: await linesOf(client, statement) });
  }
  return texts;
}

const elsewhere = [
  [
    'pg_largeobject_metadata',
    `select encode(lo_get(oid), 'escape') as text from pg_largeobject_metadata`,
  ],
  [
    'pg_stats',
    `select concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text)
      as text from pg_stats where schemaname not like 'pg\\_%'`,
  ],
  ['pg_description', 'select description as text from pg_description where objoid >= 16384'],
  ['pg_stat_activity', 'select query as text from pg_stat_activity where pid <> pg_backend_pid()'],
  ['pg_stat_statements', 'select query as text from pg_stat_statements'],
  ['pg_prepared_statements', 'select statement as text from pg_prepared_statements'],
] as const;

async function isThere(client: Session, relation: string): Promise<boolean> {
  const found = await client.query<{ name: string | null }>(
    `select to_regclass('${relation}')::text as name`,
  );
  return found.rows[0]?.name !== null;
}
