// Signs checkpoints of the log and writes them to the program's log, to a file and to the webhook.

import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';

import { z } from 'zod';

import { signingKey } from '../../events/checkpoint.ts';
import type { ExtensionNeeds, JobNeeds } from '../../src/admin/extension.ts';
import type { Job } from '../../src/control/repeat.ts';
import type { SignedCheckpoint } from '../../src/db/log/signed-checkpoints.ts';
import { evidenceValues } from './settings.ts';
import { createCheckpointSigner } from './sign.ts';
import type { KeptCheckpoint } from './sign.ts';

/** For checking whether a checkpoint is due. */
const intervalMs = 5_000;

/** No checkpoints without a key. */
export function signingJobs(
  { plane, settings, alarms, notifier, clock }: ExtensionNeeds,
  { seenBefore, log }: JobNeeds,
): readonly Job[] {
  const values = evidenceValues(settings);
  const { auditSigningKey, auditSigningKeyPrevious, auditCheckpointFile: file } = values;
  if (auditSigningKey === null) return [];
  const emit = async ({ position, note }: SignedCheckpoint): Promise<void> => {
    log.info({ position, checkpoint: note }, 'a checkpoint of the event log');
    notifier.notify({ type: 'log_checkpoint', data: { position, checkpoint: note } });
    if (file === null) return;
    const epoch = plane.store.state().settings.byId.get(1)?.epoch ?? 0;
    const line = `${JSON.stringify({ checkpoint: note, epoch })}\n`;
    await appendTo(file, line).catch((error: unknown) => {
      log.error({ error, position }, 'a checkpoint was not written to --audit-checkpoint-file');
    });
  };
  const key = keyOf(auditSigningKey);
  const previousKey = auditSigningKeyPrevious === null ? null : keyOf(auditSigningKeyPrevious);
  const signer = createCheckpointSigner({
    plane,
    key,
    previousKey,
    clock,
    alarms,
    kept: () => lastKept(file),
    seenBefore,
    emit,
  });
  return [{ what: 'signing a checkpoint of the event log', intervalMs, work: signer.signDue }];
}

const keyOf = (hex: string) => signingKey(Buffer.from(hex, 'hex'));

const keptLine = z.object({ checkpoint: z.string(), epoch: z.int().nonnegative().default(0) });

/** Null if the file has no line. Rejects if it cannot be read. */
async function lastKept(path: string | null): Promise<KeptCheckpoint | null> {
  if (path === null) return null;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  // A line that a crash cut off has no line end.
  const last = text
    .split('\n')
    .slice(0, -1)
    .findLast((line) => line !== '');
  if (last === undefined) return null;
  try {
    const { checkpoint: note, epoch } = keptLine.parse(JSON.parse(last));
    return { note, epoch };
  } catch (cause) {
    throw new Error(`--audit-checkpoint-file ${path}: the last line is not a checkpoint`, {
      cause,
    });
  }
}

/** Resolves once the line is on disk. */
async function appendTo(path: string, line: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  await using file = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o640);
  await file.writeFile(line);
  await file.sync();
}
