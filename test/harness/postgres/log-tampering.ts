// Builds SQL that tampers with a log as a superuser can, with triggers disabled.

import { Client } from 'pg';

import type { TestDatabase } from './postgres.ts';

const guarded = ['es.events', 'es.checkpoints'];

export const asSuperuser =
  ({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>) =>
  async (...statements: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: superuserUrl });
    await client.connect();
    for (const table of guarded) await client.query(`alter table ${table} disable trigger all`);
    for (const statement of statements) await client.query(statement);
    for (const table of guarded) await client.query(`alter table ${table} enable trigger all`);
    await client.end();
  };

const dropReadModels = `do $$ declare own text; begin
    for own in select schema_name from es.read_models loop
      execute format('drop schema if exists %I cascade', own);
    end loop;
    delete from es.read_models;
  end $$`;

/** Restores the state of a database copy made at `position`. */
export const rollBackTo = (position: number): readonly string[] => [
  `delete from es.events where position > ${position}`,
  `update es.log_head set position = ${position}, hash = last.hash, recorded_at = last.recorded_at
    from (select * from es.events where position = ${position}) last`,
  dropReadModels,
];

/**
 * Replaces `before` with `after` in the payload of the event at `position`, and recomputes every
 * later hash.
 */
export const rewriteEventAt = (
  position: number,
  { before, after }: Readonly<{ before: string; after: string }>,
): readonly string[] => [
  `update es.events set payload = replace(payload::text, '${before}', '${after}')::json
    where position = ${position}`,
  `do $$ declare one es.events; last bytea; begin
    select hash into last from es.events where position = ${position - 1};
    for one in select * from es.events where position >= ${position} order by position loop
      one.payload_digest := sha256(convert_to(one.payload::text, 'UTF8'));
      one.leaf_hash := es.event_leaf(one);
      last := sha256('\\x01'::bytea || last || one.leaf_hash);
      update es.events set payload_digest = one.payload_digest, leaf_hash = one.leaf_hash,
          hash = last
        where position = one.position;
    end loop;
    update es.log_head set hash = last;
  end $$`,
  'delete from op.state_checkpoints',
  dropReadModels,
];
