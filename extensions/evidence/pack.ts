// Writes an evidence pack for an auditor: a directory of files, and a manifest with their hashes
// that the log's audit key signs. deploy/verify.mjs verifies it with Node alone.

import { createHash, hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Queryable } from '@databases/pg';

import type { SigningKey } from '../../events/checkpoint.ts';
import { emptyState } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { auditKeyAt, readHead } from '../../src/db/log/event-log.ts';
import { timeOf } from '../../src/db/grant-events.ts';
import { erasedRefs } from '../../src/db/restore-facts.ts';
import type { Vault } from '../../src/db/vault.ts';
import { toRfc3339 } from '../../src/lib/clock.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import type { Moment } from '../../src/control/history/moment.ts';
import type { PastStates } from '../../src/control/history/states.ts';
import { packFiles } from './pack-files.ts';
import type { PackFile } from './pack-files.ts';

export type PackWish = Readonly<{
  /**
   * Covers what happened after `from`, up to and including `to`. Null means the beginning or the
   * head.
   */
  from: Moment | null;
  to: Moment | null;
  /** False shows references into the vault instead of names and reasons. */
  withPersonalData: boolean;
  /** Must not exist. */
  directory: string;
  /** The pack is signed with the key that signs checkpoints at `to`. */
  keys: readonly SigningKey[];
  settings: readonly object[];
}>;

export type Manifest = Readonly<{
  gw_evidence: 1;
  made_at: string;
  gw_version: string;
  log_id: string;
  /** `at` is the given time, or the time at which the event at the position was recorded. */
  from: Readonly<{ position: number; at: string | null }>;
  to: Readonly<{ position: number; at: string; hash: string }>;
  /** Null if the log has no audit key; the pack is then not signed. */
  audit_key: string | null;
  personal_data: boolean;
  files: readonly Readonly<{ name: string; bytes: number; sha256: string }>[];
}>;

type Dependencies = Readonly<{
  db: Queryable;
  past: PastStates;
  vault: Pick<Vault, 'reveal'>;
  appVersion: string;
  clock: Clock;
}>;

/**
 * Writes all files or none. Refuses moments outside of the log, an existing directory, and a
 * missing audit key.
 */
export async function makePack(
  dependencies: Dependencies,
  wish: PackWish,
): Promise<Manifest | Refusal> {
  const { db, past, clock, appVersion } = dependencies;
  const { logId, position: head } = await readHead(db);
  const from = await stateAt(past, wish.from ?? { position: 0 }, '--from');
  if (isRefusal(from)) return from;
  const to = await past.at(wish.to ?? { position: head }, '--to');
  if (isRefusal(to)) return to;
  // A period without events is evidence too.
  if (from.position > to.position) {
    const message = `--from is position ${from.position}, which is after --to, ${to.position}`;
    return refuse('invalid', message, { param: 'from' });
  }
  const auditKey = await auditKeyAt(db, to.position);
  const key = wish.keys.find(({ publicKey }) => publicKey === auditKey) ?? null;
  if (auditKey !== null && key === null) {
    const message = `the audit key at position ${to.position} is ${auditKey}; give it as GW_AUDIT_SIGNING_KEY`;
    return refuse('invalid', message);
  }
  const ends = { from: await endAt(db, from, wish.from), to: await endAt(db, to, wish.to) };
  const window = {
    since:
      from.position === 0
        ? null
        : ((await overAt(db, from, wish.from)) ?? new Date(ends.from.atMs)),
    until: await overAt(db, to, wish.to),
  };
  const { settings } = wish;
  const vault = wish.withPersonalData ? dependencies.vault : showingRefs;
  const files = packFiles({ db, logId, ...ends, window, vault, settings });
  return written(wish.directory, key, files, (sums) => ({
    gw_evidence: 1,
    made_at: toRfc3339(clock()),
    gw_version: appVersion,
    log_id: logId,
    from: {
      position: from.position,
      at: from.position === 0 ? null : toRfc3339(ends.from.atMs),
    },
    to: { position: to.position, at: toRfc3339(ends.to.atMs), hash: to.hash },
    audit_key: auditKey,
    personal_data: wish.withPersonalData,
    files: sums,
  }));
}

/** Before its first event the log is empty. */
async function stateAt(
  past: PastStates,
  moment: Moment,
  named: string,
): Promise<ConfigState | Refusal> {
  if ('position' in moment && moment.position === 0) return emptyState;
  const state = await past.at(moment, named);
  const isBefore = isRefusal(state) && state.refused === 'absent' && 'at' in moment;
  return isBefore ? emptyState : state;
}

async function endAt(db: Queryable, state: ConfigState, wish: Moment | null) {
  if (state.position === 0) return { state, atMs: 0 };
  return { state, atMs: timeNamed(wish) ?? (await timeOf(db, state.position)) };
}

/** The end of the period for facts that are not in the log. Null means now. */
async function overAt(
  db: Queryable,
  { position }: ConfigState,
  wish: Moment | null,
): Promise<Date | null> {
  const atMs = timeNamed(wish) ?? (await timeOf(db, position + 1));
  return atMs === 0 ? null : new Date(atMs);
}

const timeNamed = (wish: Moment | null): number | null =>
  wish !== null && 'at' in wish ? wish.at : null;

/** Shows the references of values that the vault could reveal. */
const showingRefs: Pick<Vault, 'reveal'> = {
  reveal: async (db, refs) => {
    const erased = new Set(await erasedRefs(db, refs));
    return new Map(refs.flatMap((ref) => (erased.has(ref) ? [] : [[ref, `ref:${ref}`]])));
  },
};

type Sums = Manifest['files'];

async function written(
  directory: string,
  key: SigningKey | null,
  files: readonly PackFile[],
  manifestOf: (sums: Sums) => Manifest,
): Promise<Manifest | Refusal> {
  if ((await stat(directory).catch(() => null)) !== null) {
    return refuse('conflict', `${directory} already exists`);
  }
  const partial = `${directory}.partial`;
  const made = await mkdir(partial, { mode: 0o700 }).catch(readError);
  if (made === 'EEXIST') {
    return refuse('conflict', `${partial} is left over from another pack; remove it first`);
  }
  try {
    const sums: Sums[number][] = [];
    for (const file of files) sums.push(await writeCounted(partial, file));
    const manifest = manifestOf(sums);
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(path.join(partial, 'manifest.json'), text, { mode: 0o600 });
    const signature = signatureOf(text, key);
    await writeFile(path.join(partial, 'manifest.sig'), signature, { mode: 0o600 });
    await rename(partial, directory);
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

function readError(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return error.code;
  throw error;
}

/** An empty signature verifies for no key. */
function signatureOf(manifest: string, key: SigningKey | null): string {
  const sum = hash('sha256', manifest);
  const signature = key === null ? [] : key.sign(`gw-evidence-v1\n${sum}\n`);
  const base64 = Buffer.from(signature).toString('base64');
  return `${JSON.stringify({ manifest: sum, signature: base64 })}\n`;
}

async function writeCounted(directory: string, { name, pieces }: PackFile): Promise<Sums[number]> {
  const digest = createHash('sha256');
  let bytes = 0;
  await pipeline(
    pieces,
    async function* counted(source: AsyncIterable<string>) {
      for await (const piece of source) {
        digest.update(piece);
        bytes += Buffer.byteLength(piece);
        yield piece;
      }
    },
    createWriteStream(path.join(directory, name), { flags: 'wx', mode: 0o600 }),
  );
  return { name, bytes, sha256: digest.digest('hex') };
}
