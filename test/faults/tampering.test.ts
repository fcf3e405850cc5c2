// Tests that a log or table changed directly in the database is detected and the position is named.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

import { readModelSchema } from '../../projections/read-model.ts';
import { entityTables, journalTables } from '../../projections/tables/all.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { gw, gwProcess } from '../harness/program/command-line.ts';
import { encryptionKey, prepareControl } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const logVerify = (url: string, more: Readonly<Record<string, string>> = {}, run = gw) =>
  run(['log', 'verify'], { env: { GW_DATABASE_URL: url, ...more } });

/**
 * Creates a log with the seed and a login, then runs `tamper` as a superuser with triggers
 * disabled.
 */
async function tampered(test: TestContext, tamper: SQLQuery): Promise<string> {
  const { url, superuserUrl } = await testDatabase(test);
  await prepareControl(url);
  const db = openDatabase({
    url: superuserUrl,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 1,
  });
  try {
    await db.tx(async (tx) => {
      await tx.query(sql`alter table es.events disable trigger all`);
      await tx.query(tamper);
      await tx.query(sql`alter table es.events enable always trigger events_guard`);
      await tx.query(sql`alter table es.events enable always trigger events_no_change`);
    });
  } finally {
    await db.dispose();
  }
  return url;
}

const cases: readonly { what: string; tamper: SQLQuery; says: RegExp }[] = [
  {
    what: 'one byte of a payload',
    tamper: sql`
      update es.events set payload = replace(payload::text, 'operator', 'operatos')::json
      where position = (select min(position) from es.events where payload::text like '%operator%')`,
    says: /^position 3: the payload does not match its digest$/m,
  },
  {
    what: 'a payload with its digest',
    tamper: sql`
      update es.events set payload = '{}', payload_digest = sha256('{}'::bytea)
      where position = 5`,
    says: /^position 5: the envelope does not match its leaf hash$/m,
  },
  {
    what: 'one character of the metadata',
    tamper: sql`
      update es.events set metadata = replace(metadata::text, 'seed', 'sead')::json
      where position = 2`,
    says: /^position 2: the envelope does not match its leaf hash$/m,
  },
  {
    what: 'an event and every hash of its own',
    tamper: sql`
      update es.events e set payload = '{}', payload_digest = sha256('{}'::bytea),
        leaf_hash = es.event_leaf(row(e.position, e.stream, e.version, e.event_id, e.type, e.schema,
          e.tx_id, e.recorded_at, e.metadata, '{}'::json, sha256('{}'::bytea), e.leaf_hash, e.hash))
      where position = 4`,
    says: /^position 4: the event does not follow the one before it in the hash chain$/m,
  },
  {
    what: 'an event taken out',
    tamper: sql`delete from es.events where position = 6`,
    says: /^position 6: the next event is 7$/m,
  },
  {
    what: 'the last event taken off',
    tamper: sql`delete from es.events where position = (select position from es.log_head)`,
    says: /^position 21: the log ends at 20, but its head is at 21$/m,
  },
  {
    what: 'the head set back',
    tamper: sql`update es.log_head set position = 19`,
    says: /^position 19: the hash of the head differs from that of the last event$/m,
  },
  {
    what: 'the end of the log and its head, with the tables left',
    tamper: sql`
      with cut as (delete from es.events where position > 19 returning 1)
      update es.log_head set position = 19, hash = last.hash, recorded_at = last.recorded_at
      from (select * from es.events where position = 19) last`,
    says: /^position 20: the log ends at 19, but the tables were written up to 21$/m,
  },
  {
    what: 'the payloads of two events to nothing',
    tamper: sql`update es.events set payload = null where position in (5, 17)`,
    says: /^position 5: 2 events have no payload \(positions 5, 17\); the tables cannot be/m,
  },
  {
    what: 'a row of a read model',
    tamper: sql`update ${sql.ident(readModelSchema, 'roles')} set name = 'root' where name = 'admin'`,
    says: /^table roles has .*, but a rebuild /m,
  },
  {
    what: 'an audit row',
    tamper: sql`delete from ${sql.ident(readModelSchema, 'audit_log')} where id = 21`,
    says: /^table audit_log has .*, but a rebuild /m,
  },
  {
    what: 'the hash of a snapshot version',
    tamper: sql`
      update ${sql.ident(readModelSchema, 'snapshot_versions')} set content_hash = 'other'
      where version = 21`,
    says: /^table snapshot_versions has .*, but a rebuild /m,
  },
];

const withKey = { GW_ENCRYPTION_KEY: encryptionKey };
const uuid = '[0-9a-f-]{36}';

const vaultCases: readonly { what: string; tamper: SQLQuery; says: RegExp }[] = [
  {
    what: 'the name of a principal deleted',
    tamper: sql`delete from vault.items where class = 'personal' and subject = 'principal-2'`,
    says: new RegExp(`^position 19: item ${uuid} is missing from the vault$`, 'm'),
  },
  {
    what: 'a password emptied as if it had been erased',
    tamper: sql`
      update vault.items set body = null, erased_at = now() where class = 'password'`,
    says: new RegExp(
      `^position \\d+: item ${uuid} is empty in the vault, but no event records`,
      'm',
    ),
  },
  {
    what: 'an item added',
    tamper: sql`
      insert into vault.items (ref, class, subject, key_id, body)
      select gen_random_uuid(), class, subject, key_id, body from vault.items
      where class = 'password'`,
    says: new RegExp(`^item ${uuid} is in the vault, but no event names it$`, 'm'),
  },
  {
    what: 'the fingerprint key deleted',
    tamper: sql`delete from vault.items where class = 'fingerprint_key'`,
    says: /^the fingerprint key of the database is missing from the vault$/m,
  },
];

/** Gives both databases the same encryption key. */
async function copyFingerprintKey(from: string, to: string): Promise<void> {
  const options = {
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 1,
  } as const;
  const [source, target] = [from, to].map((url) => openDatabase({ url, ...options }));
  assert.ok(source !== undefined && target !== undefined);
  try {
    const [key]: { ref: string; body: Buffer }[] = await source.query(
      sql`select ref, body from vault.items where class = 'fingerprint_key'`,
    );
    await target.query(sql`
      update vault.items set ref = ${key?.ref}, body = ${key?.body}
      where class = 'fingerprint_key'`);
  } finally {
    await Promise.all([source.dispose(), target.dispose()]);
  }
}

const swapped = sql`
  update vault.items one set body = other.body from vault.items other
  where one.class in ('password', 'personal') and other.class in ('password', 'personal')
    and one.class <> other.class`;

describe('gw log verify of the vault', () => {
  for (const { what, tamper, says } of vaultCases) {
    it(`exits with 10 with and without the encryption key for ${what}`, async (test) => {
      const url = await tampered(test, tamper);
      for (const more of [{}, withKey]) {
        const { code, stdout } = await logVerify(url, more);
        assert.match(stdout, says);
        assert.equal(code, 10);
      }
    });
  }

  it('finds swapped contents with the encryption key, and reports the skipped check without it', async (test) => {
    const url = await tampered(test, swapped);
    const { code, stdout } = await logVerify(url, withKey, gwProcess);
    assert.match(stdout, new RegExp(`^item ${uuid} of the vault cannot be opened: `, 'm'));
    assert.equal(code, 10);
    const unopened = await logVerify(url, {}, gwProcess);
    assert.match(unopened.stdout, /^the contents of the vault were not checked, because GW_ENC/m);
    assert.equal(unopened.code, 0);
  });

  it('finds a replaced fingerprint key with the encryption key', async (test) => {
    const { url, superuserUrl } = await testDatabase(test);
    await prepareControl(url);
    const other = await testDatabase(test);
    await prepareControl(other.url);
    await copyFingerprintKey(other.superuserUrl, superuserUrl);
    const { code, stdout } = await logVerify(url, withKey);
    assert.match(stdout, /^position \d+: a fingerprint of a name does not match the fingerprint/m);
    assert.equal(code, 10);
  });

  it('finds a deleted fingerprint key, which no control process replaces', async (test) => {
    const url = await tampered(test, sql`delete from vault.items where class = 'fingerprint_key'`);
    const args = ['--role', 'control', '--admin-port', '0'];
    const program = startProgram(test, { args, env: { GW_DATABASE_URL: url, ...withKey } });
    await until(() => program.child.exitCode !== null, { what: 'the end' });
    assert.equal(program.child.exitCode, 1);
    assert.match(program.printed.join('\n'), /the fingerprint key is missing from the vault/);
    const { code, stdout } = await logVerify(url, withKey);
    assert.match(stdout, /^the fingerprint key of the database is missing from the vault$/m);
    assert.equal(code, 10);
  });

  it('finds nothing in an unchanged vault', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const { code, stdout } = await logVerify(url, withKey);
    assert.match(stdout, /^the vault is complete \(3 items\)$/m);
    assert.doesNotMatch(stdout, /not checked/);
    assert.equal(code, 0);
  });
});

describe('gw log verify', () => {
  it('finds nothing in an unchanged log', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const { code, stdout } = await logVerify(url);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^21 events, head [0-9a-f]{64}\nthe chain is intact, and \d+ tables match a rebuild/,
    );
    const tables = entityTables.length + journalTables.length;
    assert.ok(stdout.includes(`and ${tables} tables match a rebuild`), stdout);
  });

  for (const { what, tamper, says } of cases) {
    it(`exits with 10 and names the position after a superuser changed ${what}`, async (test) => {
      const { code, stdout } = await logVerify(await tampered(test, tamper));
      assert.match(stdout, says);
      assert.equal(code, 10);
    });
  }
});
