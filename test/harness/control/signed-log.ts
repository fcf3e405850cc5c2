// Builds a log with signed checkpoints and a rotated audit key, and runs the standalone verifier on
// it.

import { execFile } from 'node:child_process';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { signedNote, signingKey } from '../../../events/checkpoint.ts';
import type { SigningKey } from '../../../events/checkpoint.ts';
import { rotationText } from '../../../events/note.ts';
import { exportLog } from '../../../src/control/log/export.ts';
import { logRange } from '../../../src/control/log/log-range.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { insertSignedCheckpoint } from '../../../src/db/log/signed-checkpoints.ts';
import type { Database } from '../../../src/db/pool.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { testPlane } from './plane.ts';
import type { TestPlane } from './plane.ts';

export const auditKey = signingKey(new Uint8Array(32).fill(1));
export const nextAuditKey = signingKey(new Uint8Array(32).fill(2));

const fiveMinutes = 5 * 60 * 1000;

/**
 * Writes about forty events and several checkpoints, the last one at the head. Rotates the audit
 * key after the second checkpoint.
 */
export async function signedPlane(test: Pick<TestContext, 'after'>): Promise<TestPlane> {
  const opened = await testPlane(test);
  const { plane, run } = opened;
  let atMs = Date.now();
  for (const [at, key] of [auditKey, auditKey, nextAuditKey, nextAuditKey].entries()) {
    for (const name of ['a', 'b', 'c']) {
      await run({ command: { type: 'CreateModel', name: `${name}${at}`, fields: {} } });
    }
    if (at === 0) await setKey(opened, { previous: null, next: auditKey });
    if (at === 2) await setKey(opened, { previous: auditKey, next: nextAuditKey });
    atMs += 2 ** at * fiveMinutes;
    const head = await readHead(plane.db);
    const { position } = head;
    const created_at = new Date(atMs);
    await insertSignedCheckpoint(plane.db, { position, note: signedNote(head, key), created_at });
  }
  return opened;
}

type Rotation = Readonly<{ previous: SigningKey | null; next: SigningKey }>;

async function setKey({ plane, run }: TestPlane, { previous, next }: Rotation): Promise<void> {
  const { logId } = await readHead(plane.db);
  const { publicKey } = next;
  const keys = { logId, previous: previous?.publicKey ?? '', next: publicKey };
  const signed = previous?.sign(rotationText(keys));
  const signature = signed === undefined ? null : Buffer.from(signed).toString('base64');
  await run({ command: { type: 'SetAuditKey', logId, publicKey, signature } });
}

export async function exported(db: Database, from?: number, to?: number): Promise<string> {
  const found = await logRange(db, { from: from ?? null, to: to ?? null });
  if (isRefusal(found)) throw new Error(found.message);
  const pieces: string[] = [];
  for await (const piece of exportLog(db, found.head, found.range)) pieces.push(piece);
  return pieces.join('');
}

/**
 * The remark of both verifiers on a valid log when no checkpoints from another place were given.
 */
export const unanchored =
  'without saved checkpoints (--anchor), a log that was truncated, or rewritten and signed again, ' +
  'is not detected\n';

export const verifier = path.join(import.meta.dirname, '../../../deploy/verify.mjs');

/** Runs the verifier as an auditor does. */
export function verifyOffline(...parameters: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; stdout: string }>();
  execFile(process.execPath, [verifier, ...parameters], { env: {} }, (error, stdout) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
    resolve({ code, stdout });
  });
  return promise;
}
