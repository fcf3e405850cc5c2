// Stores secrets and personal data encrypted with AES-256-GCM. Events hold refs to vault items. The
// additional data binds a ciphertext to its row, so that write access to the table is not enough to
// swap two items.

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

/** Encrypted in the transaction of the event that references it. */
export type Secret = Readonly<{ ref: string; class: VaultClass; plaintext: string }>;

/** `subject` is the stream of that event. */
export type OwnedSecret = Secret & Readonly<{ subject: string }>;

export type Vault = Readonly<{
  /** The statement returns one row for each item. */
  storing: (secrets: readonly OwnedSecret[]) => SQLQuery;
  /** Omits refs that do not exist, are erased or cannot be decrypted. */
  reveal: (db: Queryable, refs: readonly string[]) => Promise<Map<string, string>>;
  /** Encrypts a value for another table. It can only be decrypted for the same `place`. */
  seal: (place: string, plaintext: string) => Sealed;
  /** Null, and reported, if the value was encrypted with another key or for another place. */
  open: (place: string, sealed: Sealed) => string | null;
  /**
   * 16 hex digits that are equal for equal texts and reveal nothing without the database's own key.
   */
  fingerprint: (text: string) => string;
  /** Encrypts items again that were encrypted with another key. */
  reseal: (db: Database, batch: ItemBatch) => Promise<Resealed>;
}>;

/** `after` is a ref; null starts at the beginning. */
export type ItemBatch = Readonly<{ after: string | null; limit: number }>;

/** `last` is the ref to continue after; null if nothing was left. */
export type Resealed = Readonly<{
  resealed: number;
  unreadable: readonly string[];
  last: string | null;
}>;

/** `body`: format byte, nonce, ciphertext, tag. `keyId` names the encryption key. */
export type Sealed = Readonly<{ keyId: string; body: Buffer }>;

export type EncryptionKeys = {
  /** 32 bytes. */
  encryptionKey: Uint8Array;
  /** Decrypts items from before a key rotation, until all are encrypted with the new key. */
  previousKey?: Uint8Array | undefined;
};

type Dependencies = EncryptionKeys & {
  randomBytes: (size: number) => Uint8Array;
  newId: () => string;
  /** Called for each item that cannot be decrypted. Results omit it. */
  onUnreadable: (ref: string, error: unknown) => void;
};

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

export const keyId = (encryptionKey: Uint8Array): string =>
  hash('sha256', encryptionKey).slice(0, 8);

/**
 * Throws if an item was encrypted with a key that is neither the current nor the previous one: gw
 * would otherwise silently lose providers whose credentials cannot be decrypted.
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
  keyId: string;
  keyIds: readonly string[];
  open: (item: SealedItem) => string;
};
/** `name` is used in errors. */
type SealedItem = { name: string; additional: Uint8Array; sealed: Sealed };

const itemOf = (row: ItemRow): SealedItem => ({
  name: row.ref,
  additional: additionalData(row),
  sealed: { keyId: row.key_id, body: row.body },
});

const additionalData = (item: { ref: string; class: string; subject: string }): Uint8Array =>
  Buffer.from(`gw-vault-v1|${item.ref}|${item.class}|${item.subject}`);

/** Differs in kind from the additional data of an item, whatever the place is called. */
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
  // Created once, because preparing a key costs more than decrypting an item.
  const keys = new Map(given.map((key) => [keyId(key), createSecretKey(key)]));
  return {
    keyId: ownKeyId,
    keyIds: [...keys.keys()],
    open: ({ name, additional, sealed: { keyId, body } }) => {
      const key = keys.get(keyId);
      if (key === undefined) {
        throw new Error(
          `GW_ENCRYPTION_KEY is key ${ownKeyId}, but ${name} was encrypted with key ${keyId}`,
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
 * The fingerprint key outlives every encryption key, because equal texts must have equal
 * fingerprints after a rotation. It is itself a vault item. If the vault has other items, the key
 * must exist: a new one would find no principal by name, and would hide that the original was
 * deleted.
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
    `the fingerprint key is missing from the vault, which has ${held ?? 0} items: it was ` +
      'deleted. Restore it from a backup; see "Restore the fingerprint key" in docs/guides/back-up-and-restore.md',
  );
}

const readFingerprintKey = (db: Queryable): Promise<ItemRow | null> =>
  readRow(db, itemRow)`
    select ref, class, subject, key_id, body from vault.items
    where class = 'fingerprint_key' and body is not null`;

/** Null if the fingerprint key is missing or cannot be decrypted. */
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
    `GW_ENCRYPTION_KEY is key ${sealer.keyId}, but ${row.items} items of the vault were encrypted with key ` +
      `${row.key_id}; set that key as GW_ENCRYPTION_KEY_PREVIOUS`,
  );
}

/**
 * Skips items that cannot be decrypted: they were tampered with, and the old key would not help.
 */
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

/**
 * `unreadable` are those that could not be decrypted. `last` is the ref to continue after; null if
 * nothing was left.
 */
export type OpenedBatch = Readonly<{
  opened: number;
  unreadable: readonly Readonly<{ ref: string; problem: string }>[];
  last: string | null;
}>;

/**
 * Decrypts items batch by batch without returning their content. An item can be decrypted only in
 * its own row.
 */
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
