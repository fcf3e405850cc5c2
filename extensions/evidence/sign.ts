// Signs checkpoints of the log and exports them from the database, so that later changes of the log
// are detectable. First verifies everything after the last checkpoint. Signs nothing while an alarm
// is open, or if the log contradicts what this process verified, the checkpoint file, or the log's
// own key.

import { isNoteSigned, signedNote } from '../../events/checkpoint.ts';
import type { SigningKey } from '../../events/checkpoint.ts';
import { readNote, rotationText } from '../../events/note.ts';
import type { LogHead } from '../../events/seal.ts';
import { defaultSettings } from '../../projections/config/settings.ts';
import { hashesAt, readHead } from '../../src/db/log/event-log.ts';
import {
  insertSignedCheckpoint,
  lastSignedCheckpoint,
} from '../../src/db/log/signed-checkpoints.ts';
import type { SignedCheckpoint } from '../../src/db/log/signed-checkpoints.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { snapshotVersion } from '../../src/lib/snapshot-version.ts';
import type { LogObservation } from '../../src/snapshot/health-report.ts';
import type { MutationContext } from '../../src/control/commands/execute.ts';
import type { ControlPlane } from '../../src/control/plane.ts';
import { checkChain } from '../../src/control/log/verify-log.ts';
import type { Alarm, Alarms } from '../../src/control/log/alarms.ts';
import { firstLink } from '../../events/chain.ts';
import type { Link } from '../../events/chain.ts';
import { raiseContradiction } from '../../src/control/log/witnesses.ts';

/** A checkpoint is due after this many events, or after this time if the head moved. */
const everyEvents = 1_000;
const everyMs = 5 * 60 * 1000;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'reports' | 'store' | 'execute' | 'measures'>;
  key: SigningKey;
  /** Hands over to `key`. */
  previousKey: SigningKey | null;
  clock: Clock;
  alarms: Pick<Alarms, 'raise' | 'list'>;
  /** The last exported checkpoint, also of an earlier process. Null if none is known. */
  kept?: () => Promise<KeptCheckpoint | null>;
  /** This process's gateway saw these before the restart. */
  seenBefore?: readonly LogObservation[];
  /** Exports a new checkpoint. */
  emit: (checkpoint: SignedCheckpoint) => Promise<void>;
}>;

/** `epoch` is that in which the note was signed. */
export type KeptCheckpoint = Readonly<{ note: string; epoch: number }>;

export type CheckpointSigner = Readonly<{
  /**
   * Returns null if no checkpoint is due. Rejects if the log is inconsistent or has another audit
   * key.
   */
  signDue: () => Promise<SignedCheckpoint | null>;
}>;

export function createCheckpointSigner(dependencies: Dependencies): CheckpointSigner {
  const { plane, key, clock, alarms, emit } = dependencies;
  let trusted: Trusted | null = null;
  let isKeptHeld = false;
  const { measures } = plane;
  measures.signedAt = performance.now();

  const raise = async (alarm: Pick<Alarm, 'position' | 'problem' | 'epoch'>): Promise<never> => {
    await alarms.raise({ ...alarm, replica: null, seen_hash: null, log_hash: null });
    const { position, problem } = alarm;
    throw new Error(`the log is invalid at position ${position}: ${problem}`);
  };

  const verified = async (head: LogHead, last: SignedCheckpoint | null): Promise<Link> => {
    const from = trusted?.link ?? linkOf(dependencies, head, last);
    const { broken, link } = await checkChain(plane.reports, head, { from });
    if (broken === null) return link;
    return raise({ position: broken.position ?? 0, problem: broken.problem, epoch: null });
  };

  /** Earlier observations are checked against the current log. */
  const hold = async (logId: string): Promise<void> => {
    if (trusted !== null) {
      const { epoch, link } = trusted;
      const place = { logId, epoch, position: link.position, hash: hexOf(link.hash) };
      // If a new epoch explains a different hash, everything is verified again.
      if (!(await isPlaceHeld(dependencies, place, 'this process had verified'))) trusted = null;
    }
    if (isKeptHeld) return;
    await refuseContradiction(
      dependencies,
      dependencies.seenBefore ?? [],
      'this process was given',
    );
    const kept = keptPlace(dependencies, (await dependencies.kept?.()) ?? null);
    if (kept !== null)
      await isPlaceHeld(dependencies, { logId, ...kept }, 'a saved checkpoint has');
    isKeptHeld = true;
  };

  return {
    signDue: async () => {
      await refuseOpenAlarm(alarms);
      const head = await readHead(plane.db);
      await hold(head.logId);
      const epoch = epochIn(plane);
      // Before the checkpoints are read: another replica may set the key and sign the first one in
      // between.
      const { auditKey } = plane.store.state().settings.byId.get(1) ?? defaultSettings;
      const last = await lastSignedCheckpoint(plane.db);
      if (last?.position === head.position) measures.signedAt = performance.now();
      if (auditKey === key.publicKey) {
        if (last === null) return raise({ position: head.position, problem: noneSigned, epoch });
        if (!isDue(head, last, clock())) return null;
      }
      const link = await verified(head, last);
      trusted = { link, epoch };
      const signed =
        auditKey === key.publicKey
          ? await signHead(dependencies, head, link)
          : await setKey(dependencies, auditKey, link);
      if (signed === null) return null;
      measures.signedAt = performance.now();
      await emit(signed);
      return signed;
    },
  };
}

/** `epoch` is the log's epoch when the link was verified. */
type Trusted = Readonly<{ link: Link; epoch: number }>;

const noneSigned =
  'the log names an audit key, but the database has no checkpoint signed with it: the checkpoints were ' +
  'removed, or were not copied with the log';

async function refuseOpenAlarm(alarms: Pick<Alarms, 'list'>): Promise<void> {
  const open = (await alarms.list()).find((one) => one.explained_by_epoch === null);
  if (open === undefined) return;
  throw new Error(
    `no checkpoint is signed while an alarm of the log is open: position ${open.position}, ` +
      `${open.problem}; see "When nothing is signed" in docs/guides/prove-it-to-an-auditor.md`,
  );
}

const epochIn = ({ store }: Pick<ControlPlane, 'store'>): number =>
  store.state().settings.byId.get(1)?.epoch ?? 0;

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

type Place = Readonly<{ logId: string; epoch: number; position: number; hash: string }>;

/**
 * False if the log has another hash there and a new epoch explains it. Without such an epoch,
 * raises an alarm and rejects.
 */
async function isPlaceHeld(
  dependencies: Dependencies,
  { logId, epoch, position, hash }: Place,
  saw: string,
): Promise<boolean> {
  const db = dependencies.plane.reports;
  const version = snapshotVersion({ epoch, position });
  await refuseContradiction(dependencies, [{ log_id: logId, version, position, hash }], saw);
  return (await hashesAt(db, [position])).get(position) === hash;
}

/** Raises an alarm and rejects if the log lacks any of these and no epoch explains that. */
async function refuseContradiction(
  { plane: { reports: db }, alarms }: Dependencies,
  seen: readonly LogObservation[],
  saw: string,
): Promise<void> {
  const found = await raiseContradiction({ db, alarms }, seen, { replica: null, saw });
  if (found === null) return;
  throw new Error(`${saw} another hash at position ${found} of the log: nothing is signed`);
}

/** Null for a note that none of our keys signed, which proves nothing. */
function keptPlace(
  { key, previousKey }: Dependencies,
  kept: KeptCheckpoint | null,
): Omit<Place, 'logId'> | null {
  const stated = kept === null ? null : readNote(kept.note);
  if (kept === null || stated === null) return null;
  const keys = previousKey === null ? [key] : [key, previousKey];
  if (!keys.some(({ publicKey }) => isNoteSigned(kept.note, publicKey))) return null;
  return { epoch: kept.epoch, position: stated.position, hash: hexOf(stated.hash) };
}

async function signHead(
  { plane, key, clock }: Dependencies,
  head: LogHead,
  { auditKey }: Link,
): Promise<SignedCheckpoint | null> {
  // Another replica with another key may have signed in between.
  if (auditKey !== key.publicKey) return null;
  const note = signedNote(head, key);
  const checkpoint = { position: head.position, note, created_at: new Date(clock()) };
  return (await insertSignedCheckpoint(plane.db, checkpoint)) ? checkpoint : null;
}

function isDue({ position }: LogHead, last: SignedCheckpoint, nowMs: number): boolean {
  const events = position - last.position;
  // A last checkpoint past the head is found by the verification.
  if (events < 0 || events >= everyEvents) return true;
  return events > 0 && nowMs - last.created_at.getTime() >= everyMs;
}

/** Continues the last checkpoint that one of our keys signed, otherwise starts at the first event. */
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

/**
 * Makes `key` the log's audit key, signed by its predecessor, and signs the first checkpoint with
 * it in the same transaction. So this process never leaves a key without a checkpoint. `from` is
 * verified.
 */
async function setKey(
  { plane, key, previousKey, clock }: Dependencies,
  auditKey: string | null,
  from: Link,
): Promise<SignedCheckpoint | null> {
  const { logId } = await readHead(plane.db);
  const next = key.publicKey;
  if (auditKey !== null && previousKey?.publicKey !== auditKey) {
    const how = 'give the previous key as GW_AUDIT_SIGNING_KEY_PREVIOUS';
    throw new Error(
      `the audit key of the log is ${auditKey}, and this process signs with ${next}; ${how}`,
    );
  }
  const text = auditKey === null ? null : rotationText({ logId, previous: auditKey, next });
  const signature =
    text === null ? null : Buffer.from(previousKey?.sign(text) ?? []).toString('base64');
  const set = { type: 'SetAuditKey', logId, publicKey: next, signature } as const;
  let signed: SignedCheckpoint | null = null;
  const conclude: MutationContext['conclude'] = async ({ state, events }, tx) => {
    const last = events.at(-1);
    if (last === undefined) return;
    const hash = Buffer.from(state.hash, 'hex');
    const head = { logId, position: state.position, hash, recordedAt: last.recordedAt };
    const { broken } = await checkChain(tx, head, { from });
    if (broken !== null) throw new Error(`the log is invalid: ${broken.problem}`);
    const note = signedNote(head, key);
    const checkpoint = { position: head.position, note, created_at: new Date(clock()) };
    signed = (await insertSignedCheckpoint(tx, checkpoint)) ? checkpoint : null;
  };
  const outcome = await plane.execute({ command: set }, { ...context, conclude });
  if (isRefusal(outcome)) throw new Error(`setting the audit key: ${outcome.message}`);
  return signed;
}
