// Writes, checks and restores backups: a dump of the database, encrypted, with what it must contain.

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { z } from 'zod';

import {
  isEmptyDatabase,
  readBackupFacts,
  backupFacts,
  vaultKeyIds,
  withSnapshot,
} from '../../db/operations/backup-facts.ts';
import type { BackupFacts } from '../../db/operations/backup-facts.ts';
import type { Database } from '../../db/pool.ts';
import { keyId } from '../../db/vault.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { programVersion } from '../version.ts';
import { startTool } from './postgres-tools.ts';
import { createReader, DamagedBackup, seal, unseal } from './sealed-file.ts';

const manifest = z.object({
  version: z.string(),
  created_at: z.iso.datetime(),
  facts: backupFacts,
});
export type Manifest = Readonly<z.output<typeof manifest>>;

type Environment = Readonly<Record<string, string | undefined>>;

type Target = Readonly<{ url: string; file: string; encryptionKey: Buffer; env: Environment }>;

/** The file gets its name when it is complete, and then replaces an earlier one. */
export async function writeBackup(db: Database, target: Target): Promise<Manifest | Refusal> {
  const { file, encryptionKey } = target;
  const ids = await vaultKeyIds(db);
  if (ids.length > 0 && !ids.includes(keyId(encryptionKey))) {
    const is = `GW_ENCRYPTION_KEY is key ${keyId(encryptionKey)}`;
    return refuse('invalid', `${is}, but this database is encrypted with key ${ids.join(', ')}`);
  }
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    const written = await withSnapshot(db, async (tx, snapshot) => {
      const facts = await readBackupFacts(tx);
      const created = { version: programVersion(), created_at: new Date().toISOString(), facts };
      const content = contentOf(created, dumpOf(snapshot, target));
      const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(Readable.from(seal(content, encryptionKey)), output);
      return created;
    });
    await rename(partial, file);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* contentOf(first: Manifest, dump: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(first)}\n`);
  yield* dump;
}

async function* dumpOf(snapshot: string, { url, env }: Target): AsyncGenerator<Buffer> {
  const args = ['--format=custom', `--snapshot=${snapshot}`];
  const dump = startTool('pg_dump', { url, args, env });
  try {
    yield* buffers(dump.output);
    // A dump that failed must not look complete.
    await dump.ended;
  } finally {
    dump.kill();
  }
}

async function* buffers(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk);
}

export type Opened = Readonly<{ manifest: Manifest; dump: AsyncGenerator<Buffer> }>;

const manifestBytesMax = 1024 * 1024;

export async function openBackup(
  file: string,
  encryptionKeys: readonly Buffer[],
): Promise<Opened | Refusal> {
  const content = await unseal(buffers(createReadStream(file)), encryptionKeys);
  if (isRefusal(content)) return content;
  const reader = createReader(content);
  const line = await reader.line(manifestBytesMax);
  return { manifest: manifest.parse(JSON.parse(line ?? 'null')), dump: reader.rest() };
}

/** Reads the whole file. Throws if it was cut or changed. */
export async function checkBackup({ dump }: Opened): Promise<void> {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(Readable.from(dump), nothing);
}

type Into = Readonly<{ url: string; env: Environment }>;

/**
 * Restores into an empty database in one transaction. Returns what differs from the manifest.
 * Nothing is restored if the file was cut or changed.
 */
export async function restoreBackup(
  db: Database,
  { manifest: { facts }, dump }: Opened,
  { url, env }: Into,
): Promise<readonly string[] | Refusal> {
  if (!(await isEmptyDatabase(db))) {
    return refuse('conflict', 'the database already contains a log; use an empty database');
  }
  const args = ['--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error'];
  const restore = startTool('pg_restore', { url, args, env });
  try {
    await pipeline(Readable.from(dump), restore.input);
  } catch (error) {
    restore.kill();
    if (error instanceof DamagedBackup) throw error;
    // It stopped reading, and says why.
    await restore.ended;
    throw error;
  }
  await restore.ended;
  return differences(facts, await readBackupFacts(db));
}

const differences = (backup: BackupFacts, restored: BackupFacts): readonly string[] =>
  backupFacts.keyof().options.flatMap((name) => {
    const [had, has] = [JSON.stringify(backup[name]), JSON.stringify(restored[name])];
    return had === has ? [] : `${name}: the backup has ${had}, the restored database ${has}`;
  });
