// Stores the last snapshot and the observed log positions on disk. A proxy starts from it while the
// control plane is unavailable, and every gateway uses it to detect a rewritten log. It contains
// credentials, so it is encrypted with a key derived from a secret. If the file is damaged,
// modified or in another format, the previous one is tried. A process with another secret starts
// without a cache.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { withObservations } from '../../snapshot/health-report.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import { snapshot as snapshotSchema } from '../../snapshot/schema.ts';
import type { Snapshot } from '../../snapshot/schema.ts';

/** The first line of the file, authenticated with the rest. */
const format = Buffer.from('gw-snapshot-cache-v1\n');
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const fileBytesMax = 512 * 1024 * 1024;

/** `seen` are the log positions observed until then. */
export type CachedSnapshot = Readonly<{ snapshot: Snapshot; seen: readonly LogObservation[] }>;

export type SnapshotCache = Readonly<{
  /** Throws when the disk write fails. Serving does not depend on it. */
  write: (cached: CachedSnapshot) => Promise<void>;
  /** The newest valid file, and why others were refused. */
  read: () => Promise<Readonly<{ cached: CachedSnapshot | null; refused: readonly string[] }>>;
}>;

/** `secret` is the proxy token or another secret of this installation. */
export function createSnapshotCache(
  options: Readonly<{ path: string; secret: string }>,
): SnapshotCache {
  const { path } = options;
  const key = sealingKey(options.secret);
  const previous = `${path}.1`;
  return {
    write: async ({ snapshot, seen }) => {
      const plain = Buffer.from(JSON.stringify({ ...snapshot, seen }));
      await writeAtomically(path, previous, seal(plain, key));
    },
    read: async () => {
      const refused: string[] = [];
      for (const candidate of [path, previous]) {
        const found = await readSealed(candidate, key);
        if (!('refused' in found)) return { cached: found, refused };
        refused.push(`${candidate}: ${found.message}`);
      }
      return { cached: null, refused };
    },
  };
}

const sealingKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'gw-snapshot-cache-v1', 32));

function seal(plain: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(format);
  const sealed = Buffer.concat([sealing.update(plain), sealing.final()]);
  return Buffer.concat([format, nonce, sealing.getAuthTag(), sealed]);
}

function unseal(bytes: Buffer, key: Buffer): Buffer | Refusal {
  const head = format.length + nonceBytes + tagBytes;
  if (bytes.length < head || !bytes.subarray(0, format.length).equals(format)) {
    return refuse('invalid', 'not a snapshot cache of this format');
  }
  const nonce = bytes.subarray(format.length, format.length + nonceBytes);
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAAD(format);
  opening.setAuthTag(bytes.subarray(format.length + nonceBytes, head));
  try {
    return Buffer.concat([opening.update(bytes.subarray(head)), opening.final()]);
  } catch {
    return refuse('invalid', 'damaged, modified, or encrypted with another secret');
  }
}

async function readSealed(path: string, key: Buffer): Promise<CachedSnapshot | Refusal> {
  const bytes = await readFile(path);
  if ('refused' in bytes) return bytes;
  const plain = unseal(bytes, key);
  if ('refused' in plain) return plain;
  const json: unknown = JSON.parse(plain.toString());
  const parsed = snapshotSchema.safeParse(json);
  if (!parsed.success)
    return refuse('invalid', 'the snapshot does not match the schema of this release');
  return { snapshot: parsed.data, seen: withObservations.parse(json).seen };
}

async function readFile(path: string): Promise<Buffer | Refusal> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { size } = await file.stat();
    if (size > fileBytesMax) return refuse('too_large', `${size} bytes`);
    return await file.readFile();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse('absent', code);
  }
}

/** Atomic and durable: after a crash a reader finds either the old file or the new one. */
async function writeAtomically(path: string, previous: string, bytes: Buffer): Promise<void> {
  const directory = dirname(path);
  const temporary = `${path}.tmp`;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  {
    await using file = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    await file.chmod(0o600);
    await file.writeFile(bytes);
    await file.sync();
  }
  await rename(path, previous).catch(ignoreAbsent);
  await rename(temporary, path);
  await using parent = await open(directory, constants.O_RDONLY);
  await parent.sync();
}

function ignoreAbsent(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
