// A log with signed checkpoints, one of them behind a rotation of the audit key, and the verifier that needs no gw.

import { execFile } from 'node:child_process';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { signingKey } from '../../../events/checkpoint.ts';
import type { SigningKey } from '../../../events/checkpoint.ts';
import { createAlarms } from '../../../src/control/evidence/alarms.ts';
import { exportLog } from '../../../src/control/evidence/export.ts';
import { logRange } from '../../../src/control/evidence/log-range.ts';
import { createCheckpointSigner } from '../../../src/control/evidence/sign.ts';
import type { KeptCheckpoint } from '../../../src/control/evidence/sign.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import type { SignedCheckpoint } from '../../../src/db/log/signed-checkpoints.ts';
import type { Database } from '../../../src/db/pool.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { testPlane } from './plane.ts';
import type { TestPlane } from './plane.ts';

export const auditKey = signingKey(new Uint8Array(32).fill(1));
export const nextAuditKey = signingKey(new Uint8Array(32).fill(2));

type Keys = Readonly<{
  key?: SigningKey;
  previousKey?: SigningKey | null;
  kept?: KeptCheckpoint | null;
}>;

/** Whose time a test sets; what was emitted, what was alarming. */
export function testSigner(
  plane: ControlPlane,
  { key = auditKey, previousKey = null, kept = null }: Keys = {},
) {
  let now = Date.now();
  const emitted: SignedCheckpoint[] = [];
  const alarms = createAlarms({
    db: plane.db,
    epoch: () => plane.store.state().settings.byId.get(1)?.epoch ?? 0,
    log: { error: () => {} },
    notify: () => {},
    clock: () => now,
  });
  const signer = createCheckpointSigner({
    plane,
    key,
    previousKey,
    clock: () => now,
    alarms,
    kept: async () => kept,
    emit: async (checkpoint) => void emitted.push(checkpoint),
  });
  const pass = (ms: number): void => void (now += ms);
  return { ...signer, alarms, emitted, pass };
}

const fiveMinutes = 5 * 60 * 1000;

/** Some forty events, and checkpoints of which the last is of the head. */
export async function signedPlane(test: Pick<TestContext, 'after'>): Promise<TestPlane> {
  const opened = await testPlane(test);
  const { plane, run } = opened;
  const first = testSigner(plane);
  const second = testSigner(plane, { key: nextAuditKey, previousKey: auditKey });
  for (const [at, signer] of [first, first, second, second].entries()) {
    for (const name of ['a', 'b', 'c']) {
      await run({ command: { type: 'CreateModel', name: `${name}${at}`, fields: {} } });
    }
    // Each is later than the one before, whoever's clock it was.
    signer.pass(2 ** at * fiveMinutes);
    await signer.signDue();
  }
  return opened;
}

export async function exported(db: Database, from?: number, to?: number): Promise<string> {
  const found = await logRange(db, { from: from ?? null, to: to ?? null });
  if (isRefusal(found)) throw new Error(found.message);
  const pieces: string[] = [];
  for await (const piece of exportLog(db, found.head, found.range)) pieces.push(piece);
  return pieces.join('');
}

/** What both verifiers say of what holds, when no checkpoints were given that were kept elsewhere. */
export const unanchored =
  'not shown without checkpoints that were kept elsewhere (--anchor): that the log was not cut at ' +
  'its end, or rewritten and signed again\n';

export const verifier = path.join(import.meta.dirname, '../../../deploy/verify.mjs');

/** As an auditor runs it. */
export function verifyOffline(...words: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; stdout: string }>();
  execFile(process.execPath, [verifier, ...words], { env: {} }, (error, stdout) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
    resolve({ code, stdout });
  });
  return promise;
}
