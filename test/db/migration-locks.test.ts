// Tests which locks are found in the text of migrations.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';

import { createdTables, isLong, strongLocks } from '../../src/db/operations/migration-locks.ts';

const none = new Set<string>();

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../migrations/${name}`, import.meta.url), 'utf8');

it('finds what makes other sessions wait, and no other statement', () => {
  for (const [statement, expected] of [
    ['alter table op.a add column b bigint;', 'reads and writes'],
    ['alter table only op.a\n  drop column b;', 'reads and writes'],
    ['drop table op.a;', 'reads and writes'],
    ['truncate op.a;', 'reads and writes'],
    ['create unique index on op.a (b);', 'writes'],
    ['create index a_b on only op.a (b);', 'writes'],
    ['create trigger t after insert on op.a for each row execute function op.f();', 'writes'],
    ['insert into op.b select * from op.a;', null],
    ['-- alter table op.a add column b bigint;', null],
    ['create function op.f() returns trigger as $$ begin truncate op.a; end $$;', null],
    ['alter default privileges in schema op grant select on tables to gw_app;', null],
  ] as const) {
    const locks = expected === null ? [] : [{ table: 'op.a', blocks: expected }];
    assert.deepEqual(strongLocks(statement, none), locks, statement);
  }
});

it('lists the strongest lock of a table once', () => {
  const migration = 'create index on op.a (b); alter table op.a add column c text;';
  assert.deepEqual(strongLocks(migration, none), [{ table: 'op.a', blocks: 'reads and writes' }]);
});

it('finds the table of a dropped index, whose name does not tell it', async () => {
  assert.deepEqual(strongLocks(await read('0025-token-revocations.sql'), none), [
    { table: 'es.events', blocks: 'reads and writes' },
  ]);
});

it('leaves out tables that no one uses yet', () => {
  const migration = 'create table op.a (b bigint references op.c); create index on op.a (b);';
  const created = new Set(createdTables(migration));
  assert.deepEqual([...created], ['op.a']);
  assert.deepEqual(strongLocks(migration, created), [{ table: 'op.c', blocks: 'writes' }]);
});

it('knows the migration that reads all usage', async () => {
  assert.equal(isLong(await read('0033-usage-sums.sql')), true);
  assert.equal(isLong(await read('0041-usage-units.sql')), false);
});
