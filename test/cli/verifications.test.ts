// Tests which result of a command-line verification is stored, and where it is shown.

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { it } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { readModelSchema } from '../../projections/read-model.ts';
import { testAdministrator } from '../harness/admin/admin.ts';
import { gw } from '../harness/program/command-line.ts';

const check = z
  .object({ by: z.string(), position: z.int(), problem: z.string().nullable() })
  .nullable();
const shown = z.object({
  position: z.int(),
  read_models: z.object({ position: z.int(), built_at: z.iso.datetime() }),
  verified: z.object({ chain: check, read_models: check }),
});

it('stores and shows the last verification of the chain and of the read models, and the last build', async (t) => {
  const { send, plane, databaseUrl } = await testAdministrator(t);
  const asked = (...words: string[]) => gw(words, { env: { GW_DATABASE_URL: databaseUrl } });
  const head = async () => shown.parse((await send('GET', '/admin/log/head')).body);

  const before = await head();
  assert.equal(before.read_models.position, before.position);
  assert.deepEqual(before.verified, { chain: null, read_models: null });
  const unverified = await asked('projections', 'status');
  const lines = unverified.stdout.split('\n');
  assert.match(lines[0] ?? '', /^read models: at position (\d+) of \1, built \S+Z$/);
  assert.equal(lines[1], 'compared with a rebuild: not verified yet');

  assert.equal((await asked('log', 'verify')).code, 0);
  const { verified, position } = await head();
  for (const found of [verified.chain, verified.read_models]) {
    assert.deepEqual([found?.position, found?.problem], [position, null]);
    assert.ok(found?.by.endsWith(`@${hostname()}`), found?.by);
  }

  assert.equal((await send('POST', '/admin/provider-models', { name: 'm' })).status, 200);
  await plane.db.query(sql`update ${sql.ident(readModelSchema, 'models')} set name = 'forged'`);
  assert.equal((await asked('projections', 'verify')).code, 10);
  const after = await head();
  assert.equal(after.verified.chain?.position, position, 'the chain was not read again');
  assert.match(after.verified.read_models?.problem ?? '', /^models has .*, but a rebuild /);
  const status = await asked('projections', 'status');
  assert.match(status.stdout, /\ncompared with a rebuild: 1 wrong: models has .* by .+@/);
  assert.match(status.stdout, /\nchain of the log: correct, up to position \d+, /);

  assert.equal((await asked('projections', 'rebuild')).code, 0);
  const rebuilt = await head();
  assert.ok(rebuilt.read_models.built_at > after.read_models.built_at);
  assert.equal((await asked('projections', 'verify')).code, 0);
  assert.equal((await head()).verified.read_models?.problem, null);

  await plane.db.query(sql`alter table op.verifications rename to elsewhere`);
  const unkept = await asked('projections', 'verify');
  assert.equal(unkept.code, 0);
  assert.match(
    unkept.stderr,
    /^gw: the result of this verification was not stored: relation "op.verifications"/,
  );
});

it('keeps a hundred verifications of each kind', async (t) => {
  const { plane, databaseUrl } = await testAdministrator(t);
  await plane.db.query(sql`
    insert into op.verifications (subject, verified_at, verified_by, position, problem_count)
    select 'read_models', now(), 'ada@host', number, 0 from generate_series(1, 150) as number`);
  const env = { GW_DATABASE_URL: databaseUrl };
  assert.equal((await gw(['log', 'verify'], { env })).code, 0);
  const counted: unknown = await plane.db.query(sql`
    select subject, count(*) as count from op.verifications group by subject order by subject`);
  assert.deepEqual(counted, [
    { subject: 'chain', count: 1 },
    { subject: 'read_models', count: 100 },
  ]);
});
