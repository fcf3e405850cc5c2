// Signs checkpoints of the log, and hands them out of the database: whoever changes the log afterwards cannot change what was handed
// out. What lies behind the last one is verified first, so that nothing that was altered is ever signed.

import { readNote, rotationText, isNoteSigned, signedNote } from '../../../events/checkpoint.ts';
import type { SigningKey } from '../../../events/checkpoint.ts';
import type { LogHead } from '../../../events/seal.ts';
import { defaultSettings } from '../../../projections/config/settings.ts';
import { readHead } from '../../db/event-log.ts';
import { insertSignedCheckpoint, lastSignedCheckpoint } from '../../db/signed-checkpoints.ts';
import type { SignedCheckpoint } from '../../db/signed-checkpoints.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { ControlPlane } from '../plane.ts';
import { checkChain } from '../verify-log.ts';
import type { Alarms } from './alarms.ts';
import { firstLink } from './chain.ts';
import type { Link } from './chain.ts';

/** A checkpoint is due behind so many events, or so long behind the last one when the head moved. */
const everyEvents = 1_000;
const everyMs = 5 * 60 * 1000;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'reports' | 'store' | 'execute'>;
  key: SigningKey;
  /** Hands over to `key`. */
  previousKey: SigningKey | null;
  clock: Clock;
  alarms: Pick<Alarms, 'raise'>;
  /** Takes a new checkpoint out of the database. */
  emit: (checkpoint: SignedCheckpoint) => Promise<void>;
}>;

export type CheckpointSigner = Readonly<{
  /** Signs one if it is due; answers it, or null. Rejects when the log does not hold, or holds another audit key. */
  signDue: () => Promise<SignedCheckpoint | null>;
}>;

export function createCheckpointSigner(dependencies: Dependencies): CheckpointSigner {
  const { plane, key, clock, alarms, emit } = dependencies;
  let trusted: Link | null = null;

  const verified = async (head: LogHead, last: SignedCheckpoint | null): Promise<Link> => {
    const from = trusted ?? linkOf(dependencies, head, last);
    const { broken, link } = await checkChain(plane.reports, head, { from });
    if (broken === null) return link;
    const { position, problem } = broken;
    const seen = { replica: null, seen_hash: null, log_hash: null, epoch: null };
    await alarms.raise({ position: position ?? 0, problem, ...seen });
    throw new Error(`the log does not hold at position ${position}: ${problem}`);
  };

  return {
    signDue: async () => {
      await holdKey(dependencies);
      const head = await readHead(plane.db);
      const last = await lastSignedCheckpoint(plane.db);
      if (!isDue(head, last, clock())) return null;
      trusted = await verified(head, last);
      // Another replica with another key may have come between.
      if (trusted.auditKey !== key.publicKey) return null;
      const note = signedNote(head, key);
      const checkpoint = { position: head.position, note, created_at: new Date(clock()) };
      if (!(await insertSignedCheckpoint(plane.db, checkpoint))) return null;
      await emit(checkpoint);
      return checkpoint;
    },
  };
}

function isDue({ position }: LogHead, last: SignedCheckpoint | null, nowMs: number): boolean {
  if (last === null) return position > 0;
  const events = position - last.position;
  // A last one beyond the head is for the verification to find.
  if (events < 0 || events >= everyEvents) return true;
  return events > 0 && nowMs - last.created_at.getTime() >= everyMs;
}

/** What one of our keys has signed is trusted; without such a checkpoint, nothing but the beginning is. */
function linkOf(
  { key, previousKey }: Dependencies,
  head: LogHead,
  last: SignedCheckpoint | null,
): Link {
  const stated = last === null ? null : readNote(last.note);
  if (last === null || stated === null || stated.logId !== head.logId) return firstLink(head.logId);
  if (stated.position > head.position) return firstLink(head.logId);
  const signer = [key, previousKey].find(
    (one) => one !== null && isNoteSigned(last.note, one.publicKey),
  );
  if (signer === undefined || signer === null) return firstLink(head.logId);
  const { position, hash } = stated;
  return { position, hash, recordedAt: 0, auditKey: signer.publicKey };
}

const context = {
  actor: { kind: 'system', principal_id: null },
  action: 'SYSTEM',
  target: 'log',
  requestId: 'audit-key',
  reason: null,
} as const;

/** Makes `key` the audit key of the log, handed over by the one before. */
async function holdKey({ plane, key, previousKey }: Dependencies): Promise<void> {
  const { logId } = await readHead(plane.db);
  const { auditKey } = plane.store.state().settings.byId.get(1) ?? defaultSettings;
  if (auditKey === key.publicKey) return;
  const next = key.publicKey;
  if (auditKey !== null && previousKey?.publicKey !== auditKey) {
    const how = 'give the key before as GW_AUDIT_SIGNING_KEY_PREVIOUS';
    throw new Error(
      `the audit key of the log is ${auditKey}, and this process signs with ${next}; ${how}`,
    );
  }
  const text = auditKey === null ? null : rotationText({ logId, previous: auditKey, next });
  const signature =
    text === null ? null : Buffer.from(previousKey?.sign(text) ?? []).toString('base64');
  const set = { type: 'SetAuditKey', logId, publicKey: next, signature } as const;
  const outcome = await plane.execute({ command: set }, context);
  if (isRefusal(outcome)) throw new Error(`setting the audit key: ${outcome.message}`);
}
