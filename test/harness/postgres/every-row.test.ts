// Tests that the search of a database finds hidden values wherever they are stored.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';

import { everyRow } from './every-row.ts';
import { testPlane } from '../control/plane.ts';

it('all that a database holds is read: columns, bytes, packed bytes, indexes, large objects, samples and statements', async (t) => {
  const { session } = await testPlane(t);
  const client = await session();
  await client.query(`
    create schema hidden;
    create table hidden.kept (id int primary key, plain text, bytes bytea, packed bytea, tail text);
    create index kept_reversed on hidden.kept (reverse(tail));
    comment on table hidden.kept is 'canary-comment';
    create materialized view hidden.seen as select 'canary-' || 'view' as text`);
  const packed = zstdCompressSync(Buffer.from('canary-packed '.repeat(50)));
  await client.query('insert into hidden.kept values ($1, $2, $3, $4, $5)', [
    1,
    'canary-plain',
    Buffer.from('canary-bytes'),
    packed,
    'xedni-yranac',
  ]);
  await client.query(
    `insert into hidden.kept select n, 'canary-sample' from generate_series(2, 99) n`,
  );
  await client.query('analyze hidden.kept');
  await client.query(`delete from hidden.kept where id > 1`);
  await client.query(`select lo_from_bytea(0, 'canary-object')`);
  const other = await session();
  await other.query(`select 'canary-statement'`);
  const text = (await everyRow(client)).map((one) => one.text).join('\n');
  const places = ['plain', 'bytes', 'packed', 'index', 'comment', 'view', 'object', 'sample'];
  for (const place of [...places, 'statement']) {
    assert.ok(text.includes(`canary-${place}`), place);
  }
});
