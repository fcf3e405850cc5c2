// Reads every row of every table of a database as text, to search it for what must not be there.

import type { Client } from 'pg';

export type TableText = Readonly<{ table: string; text: string }>;

export async function everyRow(client: Pick<Client, 'query'>): Promise<readonly TableText[]> {
  const { rows: tables } = await client.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const texts: TableText[] = [];
  for (const { name: table } of tables) {
    const { rows } = await client.query<{ text: string }>(`
      select held::text as text from ${table} held`);
    texts.push({ table, text: rows.map((row) => row.text).join('\n') });
  }
  return texts;
}
