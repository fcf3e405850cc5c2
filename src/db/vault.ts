// The vault: secrets and personal data at rest, sealed with AES-256-GCM. Events hold refs to its items.
// The additional data binds a ciphertext to its row, so that a writer of the table cannot swap two of them.

import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash } from 'node:crypto';

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery, Transaction } from '@databases/pg';
import { z } from 'zod';

import type { Database } from './pool.ts';
import { bytes, integer, readRow, readRows, readValue, text } from './rows.ts';

export type VaultClass =
  | 'credential'
  | 'password'
  | 'key_verifier'
  | 'personal'
  | 'example'
  | 'change_request';

/** A secret on its way into the vault: sealed in the transaction of the event that refers to it. */
export type Secret = Readonly<{ ref: string; class: VaultClass; plaintext: string }>;

/** `subject` is the stream that refers to it. */
export type OwnedSecret = Secret & Readonly<{ subject: string }>;

export type Vault = Readonly<{
  /** The statement that stores these; it returns a row for each. */
  storing: (secrets: readonly OwnedSecret[]) => SQLQuery;
  /** The plaintexts of those refs that exist, are not erased and can be opened. */
  reveal: (db: Queryable, refs: readonly string[]) => Promise<Map<string, string>>;
  /** Seals what lies in a table of its own; bound to `place`, it opens nowhere else. */
  seal: (place: string, plaintext: string) => Sealed;
  /** Null, and reported, when it cannot be opened: sealed with another key, or moved. */
  open: (place: string, sealed: Sealed) => string | null;
  /** 16 hex digits that are equal for equal texts and tell nothing without the database's own key. */
  fingerprint: (text: string) => string;
  /** Seals anew, with the present key, a batch of what another key sealed. */
  reseal: (db: Database, batch: ItemBatch) => Promise<Resealed>;
}>;

/** At most `limit` items after the ref `after`; null begins. */
export type ItemBatch = Readonly<{ after: string | null; limit: number }>;

/** `last` is the ref to go on behind; null when there was nothing left. */
export type Resealed = Readonly<{
  resealed: number;
  unreadable: readonly string[];
  last: string | null;
}>;

/** `body`: format byte, nonce, ciphertext, tag; `keyId` names the encryption key that sealed it. */
export type Sealed = Readonly<{ keyId: string; body: Buffer }>;

export type EncryptionKeys = {
  /** 32 bytes. Seals, and opens. */
  encryptionKey: Uint8Array;
  /** Opens what was sealed before a rotation, until all of it is sealed with the new key. */
  previousKey?: Uint8Array | undefined;
};

type Dependencies = EncryptionKeys & {
  randomBytes: (size: number) => Uint8Array;
  newId: () => string;
  /** An item that cannot be opened is left out of what is revealed, and reported here. */
  onUnreadable: (ref: string, error: unknown) => void;
};

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

export const keyId = (encryptionKey: Uint8Array): string =>
  hash('sha256', encryptionKey).slice(0, 8);

/**
 * Opens the vault of a migrated database. Throws when something in it was sealed with a key that is neither the encryption key nor
 * the previous one: what cannot be opened would drop out of routing, provider by provider.
 */
export async function openVault(db: Queryable, dependencies: Dependencies): Promise<Vault> {
  const sealer = createSealer(dependencies);
  const fingerprintKey = await ensureFingerprintKey(db, sealer, dependencies);
  await refuseUnknownKeys(db, sealer);
  return {
    storing: (secrets) => sql`
      insert into vault.items (ref, class, subject, key_id, body)
      select ref, class, subject, ${sealer.keyId}, body from unnest(
        ${secrets.map(({ ref }) => ref)}::uuid[],
        ${secrets.map((secret) => secret.class)}::text[],
        ${secrets.map(({ subject }) => subject)}::text[],
        ${secrets.map((secret) => sealer.seal(additionalData(secret), secret.plaintext))}::bytea[]
      ) as given (ref, class, subject, body)
      returning 1`,
    reveal: async (db, refs) => {
      if (refs.length === 0) return new Map();
      const rows = await readRows(db, itemRow)`
        select ref, class, subject, key_id, body from vault.items
        where ref = any(${[...refs]}::uuid[]) and body is not null`;
      const plaintexts = new Map<string, string>();
      for (const row of rows) {
        try {
          plaintexts.set(row.ref, sealer.open(itemOf(row)));
        } catch (error) {
          dependencies.onUnreadable(row.ref, error);
        }
      }
      return plaintexts;
    },
    seal: (place, plaintext) => ({
      keyId: sealer.keyId,
      body: sealer.seal(placeData(place), plaintext),
    }),
    open: (place, sealed) => {
      try {
        return sealer.open({ name: place, additional: placeData(place), sealed });
      } catch (error) {
        dependencies.onUnreadable(place, error);
        return null;
      }
    },
    fingerprint: (text) => fingerprintBy(fingerprintKey, text),
    reseal: (db, batch) => db.tx((tx) => resealItems(tx, sealer, batch)),
  };
}

const itemRow = z.object({ ref: text, class: text, subject: text, key_id: text, body: bytes });
type ItemRow = z.output<typeof itemRow>;

type Sealer = Opener & {
  seal: (additional: Uint8Array, plaintext: string) => Buffer;
};
type Opener = {
  /** Of the key that seals. */
  keyId: string;
  /** Of the keys that open. */
  keyIds: readonly string[];
  open: (item: SealedItem) => string;
};
/** `name` is how an error calls it. */
type SealedItem = { name: string; additional: Uint8Array; sealed: Sealed };

const itemOf = (row: ItemRow): SealedItem => ({
  name: row.ref,
  additional: additionalData(row),
  sealed: { keyId: row.key_id, body: row.body },
});

const additionalData = (item: { ref: string; class: string; subject: string }): Uint8Array =>
  Buffer.from(`gw-vault-v1|${item.ref}|${item.class}|${item.subject}`);

/** Of another kind than an item's, whatever the place is called. */
const placeData = (place: string): Uint8Array => Buffer.from(`gw-sealed-v1|${place}`);

function createSealer({ randomBytes, ...keys }: Dependencies): Sealer {
  const sealing = createSecretKey(keys.encryptionKey);
  return {
    ...createOpener(keys),
    seal: (additional, plaintext) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce, {
        authTagLength: tagBytes,
      });
      cipher.setAAD(additional);
      const sealed = [cipher.update(plaintext, 'utf8'), cipher.final()];
      return Buffer.concat([Uint8Array.of(format), nonce, ...sealed, cipher.getAuthTag()]);
    },
  };
}

function createOpener({ encryptionKey, previousKey }: EncryptionKeys): Opener {
  const ownKeyId = keyId(encryptionKey);
  const given = previousKey === undefined ? [encryptionKey] : [encryptionKey, previousKey];
  // Created once: preparing a key costs more than opening an item.
  const keys = new Map(given.map((key) => [keyId(key), createSecretKey(key)]));
  return {
    keyId: ownKeyId,
    keyIds: [...keys.keys()],
    open: ({ name, additional, sealed: { keyId, body } }) => {
      const key = keys.get(keyId);
      if (key === undefined) {
        throw new Error(
          `GW_ENCRYPTION_KEY is key ${ownKeyId}, but ${name} was sealed with key ${keyId}`,
        );
      }
      if (body[0] !== format) throw new Error(`vault item ${name} has an unknown format`);
      const nonce = body.subarray(1, 1 + nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, {
        authTagLength: tagBytes,
      });
      decipher.setAAD(additional);
      decipher.setAuthTag(body.subarray(-tagBytes));
      const ciphertext = body.subarray(1 + nonceBytes, -tagBytes);
      return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

const fingerprintBy = (fingerprintKey: string, text: string): string =>
  createHmac('sha256', fingerprintKey).update(text).digest('hex').slice(0, 16);

/**
 * The key of fingerprints outlives every encryption key, or equal texts would differ after a rotation: it is an item itself. A vault that
 * holds other items had one. Another key in its place would find no principal by its name, and would hide that the first was deleted.
 */
async function ensureFingerprintKey(
  db: Queryable,
  sealer: Sealer,
  { randomBytes, newId }: Dependencies,
): Promise<string> {
  const ref = newId();
  const item = { ref, class: 'fingerprint_key', subject: 'vault' };
  const body = sealer.seal(additionalData(item), Buffer.from(randomBytes(32)).toString('hex'));
  await db.query(sql`
    insert into vault.items (ref, class, subject, key_id, body)
    select ${ref}, ${item.class}, ${item.subject}, ${sealer.keyId}, ${body}::bytea
    where not exists (select from vault.items)
    on conflict do nothing`);
  const row = await readFingerprintKey(db);
  if (row !== null) return sealer.open(itemOf(row));
  const held = await readValue(db, integer)`select count(*) from vault.items`;
  throw new Error(
    `the fingerprint key is missing from the vault, which holds ${held ?? 0} items: it was ` +
      'deleted. Restore it from a backup; see "Restore the fingerprint key" in docs/guides/back-up-and-restore.md',
  );
}

const readFingerprintKey = (db: Queryable): Promise<ItemRow | null> =>
  readRow(db, itemRow)`
    select ref, class, subject, key_id, body from vault.items
    where class = 'fingerprint_key' and body is not null`;

/** How this vault fingerprints texts; null when its key is missing or cannot be opened. */
export async function openFingerprints(
  db: Queryable,
  keys: EncryptionKeys,
): Promise<((text: string) => string) | null> {
  const row = await readFingerprintKey(db);
  const key = row === null ? null : openedOrNull(createOpener(keys), row);
  return key === null ? null : (text) => fingerprintBy(key, text);
}

const keyCount = z.object({ key_id: text, items: integer });

async function refuseUnknownKeys(db: Queryable, sealer: Sealer): Promise<void> {
  const row = await readRow(db, keyCount)`
    select key_id, count(*) as items from vault.items
    where body is not null and not (key_id = any(${[...sealer.keyIds]}::text[]))
    group by key_id order by key_id limit 1`;
  if (row === null) return;
  throw new Error(
    `GW_ENCRYPTION_KEY is key ${sealer.keyId}, but ${row.items} items of the vault were sealed with key ` +
      `${row.key_id}; give that as GW_ENCRYPTION_KEY_PREVIOUS`,
  );
}

/** What cannot be opened stays as it is: it was tampered with, and the key that is to go would not help. */
async function resealItems(
  tx: Transaction,
  sealer: Sealer,
  { after, limit }: ItemBatch,
): Promise<Resealed> {
  const rows = await readRows(tx, itemRow)`
    select ref, class, subject, key_id, body from vault.items
    where body is not null and key_id <> ${sealer.keyId}
      and (${after}::uuid is null or ref > ${after}::uuid)
    order by ref limit ${limit} for update`;
  const unreadable: string[] = [];
  for (const row of rows) {
    const plaintext = openedOrNull(sealer, row);
    if (plaintext === null) {
      unreadable.push(row.ref);
      continue;
    }
    const body = sealer.seal(additionalData(row), plaintext);
    await tx.query(sql`
      update vault.items set key_id = ${sealer.keyId}, body = ${body}
      where ref = ${row.ref}::uuid`);
  }
  return {
    resealed: rows.length - unreadable.length,
    unreadable,
    last: rows.at(-1)?.ref ?? null,
  };
}

/** What could not be opened of a batch of items, and why. `last` is the ref to go on after; null when there was nothing left. */
export type OpenedBatch = Readonly<{
  opened: number;
  unreadable: readonly Readonly<{ ref: string; problem: string }>[];
  last: string | null;
}>;

/** Opens items one batch at a time and answers with nothing of their content: each opens only in its own row. */
export function createItemCheck(
  keys: EncryptionKeys,
): (db: Queryable, batch: ItemBatch) => Promise<OpenedBatch> {
  const opener = createOpener(keys);
  return async (db, { after, limit }) => {
    const rows = await readRows(db, itemRow)`
      select ref, class, subject, key_id, body from vault.items
      where body is not null and (${after}::uuid is null or ref > ${after}::uuid)
      order by ref limit ${limit}`;
    const unreadable = rows.flatMap((row) => {
      try {
        opener.open(itemOf(row));
        return [];
      } catch (error) {
        return [{ ref: row.ref, problem: error instanceof Error ? error.message : String(error) }];
      }
    });
    const last = rows.at(-1)?.ref ?? null;
    return { opened: rows.length - unreadable.length, unreadable, last };
  };
}

function openedOrNull(opener: Opener, row: ItemRow): string | null {
  try {
    return opener.open(itemOf(row));
  } catch {
    return null;
  }
}
