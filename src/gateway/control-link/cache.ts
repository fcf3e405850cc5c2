// Stores the last snapshot and the observed log positions on disk. A proxy starts from it while the
// control plane is unavailable, and every gateway uses it to detect a rewritten log. It contains
// credentials, so it is encrypted with a key derived from a secret. If the file is damaged,
// modified or in another format, the previous one is tried. A process with another secret starts
// without a cache.

import { hkdfSync, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { storedLink } from '../../snapshot/delta/delta.ts';
import { withObservations } from '../../snapshot/health-report.ts';
import { snapshot as snapshotSchema } from '../../snapshot/schema.ts';
import { snapshotTexts } from '../../snapshot/snapshot-texts.ts';
import { createDeltaFile } from './delta-file.ts';
import type { CachedDelta, CachedSnapshot, SealedBase } from './delta-file.ts';
import { isAbsent, readFile, sealTo, unseal } from './sealed-file.ts';

/** The first line of the file, authenticated with the rest. */
const format = Buffer.from('gw-snapshot-cache-v1\n');

export type SnapshotCache = Readonly<{
  /**
   * Deltas can follow if the root of the snapshot is known. Throws when the disk write fails.
   * Serving does not depend on it.
   */
  write: (cached: CachedSnapshot & Readonly<{ root: string | null }>) => Promise<void>;
  /**
   * Adds a verified delta to what was written or read. Returns false if the whole snapshot must be
   * written. Throws like `write`.
   */
  append: (change: CachedDelta) => Promise<boolean>;
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
  const deltas = createDeltaFile(`${path}.deltas`, key);
  return {
    write: async ({ snapshot, seen, root }) => {
      const chain = deltas.chainTo(root) ?? randomUUID();
      deltas.reset();
      const texts = snapshotTexts(snapshot, { seen, root, chain });
      const bytes = await writeDurably(`${path}.tmp`, texts, key);
      // In this order, so that after a crash one of the snapshots leads to the newest.
      await deltas.retire();
      await rename(path, previous).catch(ignoreAbsent);
      await rename(`${path}.tmp`, path);
      await syncFolder(dirname(path));
      deltas.follow({ chain, root, bytes });
    },
    append: deltas.append,
    read: async () => {
      const refused: string[] = [];
      for (const candidate of [path, previous]) {
        const found = await readSealed(candidate, key);
        if ('refused' in found) {
          refused.push(`${candidate}: ${found.message}`);
          continue;
        }
        const { cached, refused: cut } = await deltas.read(found.cached, found.base);
        return { cached, refused: [...refused, ...cut] };
      }
      return { cached: null, refused };
    },
  };
}

const sealingKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'gw-snapshot-cache-v1', 32));

async function readSealed(
  path: string,
  key: Buffer,
): Promise<Readonly<{ cached: CachedSnapshot; base: SealedBase }> | Refusal> {
  const bytes = await readFile(path);
  if ('refused' in bytes) return bytes;
  if (!bytes.subarray(0, format.length).equals(format)) {
    return refuse('invalid', 'not a snapshot cache of this format');
  }
  const sealed = bytes.subarray(format.length);
  const plain = unseal(sealed, { key, header: format });
  if (plain === null)
    return refuse('invalid', 'damaged, modified, or encrypted with another secret');
  const json: unknown = JSON.parse(plain.toString());
  const parsed = snapshotSchema.safeParse(json);
  if (!parsed.success)
    return refuse('invalid', 'the snapshot does not match the schema of this release');
  const { seen } = withObservations.parse(json);
  const { root, chain } = storedLink.parse(json);
  return { cached: { snapshot: parsed.data, seen }, base: { root, chain, bytes: sealed.length } };
}

/** Returns the number of bytes. */
async function writeDurably(path: string, texts: Iterable<string>, key: Buffer): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  await using file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  await file.chmod(0o600);
  const bytes = await sealTo(file, texts, { key, header: format });
  await file.sync();
  return bytes;
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, constants.O_RDONLY);
  await folder.sync();
}

function ignoreAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}
