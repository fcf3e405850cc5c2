// Tests that the vault returns its items only with the encryption key, and never items that were
// moved to another row, truncated or erased.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';
import * as fc from 'fast-check';

import type { Database } from '../../src/db/pool.ts';
import { openVault } from '../../src/db/vault.ts';
import type { Secret, Vault, VaultClass } from '../../src/db/vault.ts';
import { openLogDatabase, testLogDatabase } from '../harness/postgres/log-database.ts';
import type { LogDatabase } from '../harness/postgres/log-database.ts';

const encryptionKey = new Uint8Array(32).fill(1);
const otherKey = new Uint8Array(32).fill(2);

type Opened = { db: Database; vault: Vault; unreadable: string[] };

async function open(db: Database, key = encryptionKey): Promise<Opened> {
  const unreadable: string[] = [];
  const vault = await openVault(db, {
    encryptionKey: key,
    randomBytes,
    newId: randomUUID,
    onUnreadable: (ref) => unreadable.push(ref),
  });
  return { db, vault, unreadable };
}

const testVault = async (test: TestContext): Promise<Opened> => open(await testLogDatabase(test));

const secretOf = (plaintext: string, kind: VaultClass = 'credential'): Secret => ({
  ref: randomUUID(),
  class: kind,
  plaintext,
});

const put = ({ db, vault }: Opened, subject: string, ...secrets: readonly Secret[]) =>
  db.tx(async (tx) => {
    for (const secret of secrets) await tx.query(vault.storing([{ ...secret, subject }]));
  });

const reveal = async ({ db, vault }: Opened, ...secrets: readonly Secret[]) => {
  const revealed = await vault.reveal(
    db,
    secrets.map(({ ref }) => ref),
  );
  return secrets.map(({ ref }) => revealed.get(ref));
};

describe('a vault item', () => {
  it('comes back as it was put', async (t) => {
    const opened = await testVault(t);
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    const secrets = fc.sample(text, 50).map((plaintext) => secretOf(plaintext));
    await put(opened, 'provider-1', ...secrets);
    assert.deepEqual(
      await reveal(opened, ...secrets),
      secrets.map(({ plaintext }) => plaintext),
    );
    assert.deepEqual(opened.unreadable, []);
  });

  it('is encrypted differently each time: equal plaintexts are not visible', async (t) => {
    const opened = await testVault(t);
    await put(opened, 'provider-1', secretOf('same'), secretOf('same'));
    const [row] = await opened.db.query(sql`
      select count(distinct body) as bodies from vault.items where class = 'credential'`);
    assert.deepEqual(row, { bodies: 2 });
  });

  it('is not revealed after erasure, which is not reported as a failure', async (t) => {
    const opened = await testVault(t);
    const [gone, kept] = [secretOf('gone'), secretOf('kept')];
    await put(opened, 'provider-1', gone, kept);
    await opened.db.query(sql`
      update vault.items set body = null, erased_at = now() where ref = ${gone.ref}`);
    assert.deepEqual(await reveal(opened, gone, kept), [undefined, 'kept']);
    assert.deepEqual(opened.unreadable, []);
  });

  it('that never was is not revealed', async (t) => {
    const opened = await testVault(t);
    assert.deepEqual(await reveal(opened, secretOf('never put')), [undefined]);
  });

  it('is not erased by half: erased means without a body, and the reverse', async (t) => {
    const opened = await testVault(t);
    await put(opened, 'provider-1', secretOf('here'));
    const halves = [
      sql`update vault.items set body = null`,
      sql`update vault.items set erased_at = now()`,
    ];
    for (const half of halves) await assert.rejects(opened.db.query(half), { code: '23514' });
  });

  it('of a transaction that is rolled back is not there', async (t) => {
    const { db, vault } = await testVault(t);
    const secret = secretOf('rolled back');
    const attempt = db.tx(async (tx) => {
      await tx.query(vault.storing([{ ...secret, subject: 'provider-1' }]));
      throw new Error('rolled back');
    });
    await assert.rejects(attempt, /rolled back/);
    assert.equal((await vault.reveal(db, [secret.ref])).size, 0);
  });
});

const swapped = secretOf('another row');
const body = (change: SQLQuery) => (ref: string) =>
  sql`update vault.items set ${change} where ref = ${ref}`;

describe('a vault item that was tampered with is left out alone, and reported:', () => {
  const cases: readonly [string, (ref: string) => SQLQuery][] = [
    [
      'the body of another row',
      (ref) => sql`
        update vault.items set body = other.body
        from vault.items other where items.ref = ${ref} and other.ref = ${swapped.ref}`,
    ],
    ['another class', body(sql`class = 'password'`)],
    ['another subject', body(sql`subject = 'provider-2'`)],
    ['a flipped bit', body(sql`body = set_bit(body, 8 * 13, 1 - get_bit(body, 8 * 13))`)],
    ['a flipped bit of the nonce', body(sql`body = set_bit(body, 8, 1 - get_bit(body, 8))`)],
    ['a tag cut to 4 bytes', body(sql`body = substring(body, 1, length(body) - 12)`)],
    ['a tag alone', body(sql`body = substring(body, 1, 17)`)],
    ['an empty body', body(sql`body = ''`)],
    ['another format', body(sql`body = set_byte(body, 0, 2)`)],
    ['another key', body(sql`key_id = '00000000'`)],
  ];

  let log: LogDatabase;
  let opened: Opened;
  before(async () => {
    log = await openLogDatabase();
    opened = await open(log.db);
    await put(opened, 'provider-2', swapped);
  });
  after(() => log.close());

  for (const [what, tamper] of cases) {
    it(what, async () => {
      const [touched, beside] = [secretOf('touched'), secretOf('beside')];
      await put(opened, 'provider-1', touched, beside);
      opened.unreadable.length = 0;
      await opened.db.query(tamper(touched.ref));
      assert.deepEqual(await reveal(opened, touched, beside), [undefined, 'beside']);
      assert.deepEqual(opened.unreadable, [touched.ref]);
    });
  }
});

describe('a vault', () => {
  it('is not opened with another encryption key, and says which one it was sealed with', async (t) => {
    const { db } = await testVault(t);
    await assert.rejects(
      open(db, otherKey),
      /^Error: GW_ENCRYPTION_KEY is key [0-9a-f]{8}, but \S+ was encrypted with key [0-9a-f]{8}$/,
    );
  });

  it('is opened again with the same key, and has the same fingerprints', async (t) => {
    const first = await testVault(t);
    const second = await open(first.db);
    assert.equal(second.vault.fingerprint('ada'), first.vault.fingerprint('ada'));
    assert.notEqual(second.vault.fingerprint('ada'), second.vault.fingerprint('bob'));
    assert.match(second.vault.fingerprint('ada'), /^[0-9a-f]{16}$/);
  });

  it('that holds items is not opened without its fingerprint key, and makes no other one', async (t) => {
    const opened = await testVault(t);
    await put(opened, 'provider-1', secretOf('an item'));
    await opened.db.query(sql`delete from vault.items where class = 'fingerprint_key'`);
    const missing =
      /^Error: the fingerprint key is missing from the vault, which has 1 items: it was deleted/;
    await assert.rejects(open(opened.db), missing);
    await assert.rejects(open(opened.db), missing);
  });

  it('has fingerprints that no other database has', async (t) => {
    const [one, other] = await Promise.all([testVault(t), testVault(t)]);
    assert.notEqual(one.vault.fingerprint('ada'), other.vault.fingerprint('ada'));
  });

  it('opened four times at once has one key of fingerprints', async (t) => {
    const db = await testLogDatabase(t);
    const opened = await Promise.all([open(db), open(db), open(db), open(db)]);
    const prints = opened.map(({ vault }) => vault.fingerprint('ada'));
    assert.equal(new Set(prints).size, 1);
  });
});
