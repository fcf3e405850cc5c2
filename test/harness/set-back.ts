// What a superuser does to a log with its triggers off.

import { Client } from 'pg';

import type { TestDatabase } from './postgres.ts';

export const superuserOf =
  ({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>) =>
  async (...statements: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: superuserUrl });
    await client.connect();
    await client.query('alter table es.events disable trigger all');
    for (const statement of statements) await client.query(statement);
    await client.query('alter table es.events enable trigger all');
    await client.end();
  };

/** As a copy of the database that was made at `position` holds it. */
export const setBackTo = (position: number): readonly string[] => [
  `delete from es.events where position > ${position}`,
  `update es.log_head set position = ${position}, hash = last.hash, recorded_at = last.recorded_at
    from (select * from es.events where position = ${position}) last`,
  `do $$ declare own text; begin
    for own in select schema_name from es.read_models loop
      execute format('drop schema if exists %I cascade', own);
    end loop;
    delete from es.read_models;
  end $$`,
];
