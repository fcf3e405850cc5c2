// Reads a range of the log for an export, with its signed checkpoints and their keys.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { verifierKey } from '../../../events/checkpoint.ts';
import type { LogHead } from '../../../events/seal.ts';
import { listHistoryEvents } from '../../db/log/event-history.ts';
import { readHead } from '../../db/log/event-log.ts';
import { listSignedCheckpoints } from '../../db/log/signed-checkpoints.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ExportRange } from './export.ts';

type Asked = Readonly<{ from: number | null; to: number | null }>;

/** The default is the whole log. Refuses a range that is not in the log. */
export async function logRange(
  db: Queryable,
  asked: Asked,
): Promise<Readonly<{ head: LogHead; range: ExportRange }> | Refusal> {
  const head = await readHead(db);
  const { from, to } = { from: asked.from ?? 1, to: asked.to ?? head.position };
  const holds = `the log has positions 1 to ${head.position}`;
  if (from < 1 || from > head.position) {
    return refuse('absent', `from: ${from} is out of range; ${holds}`, { param: 'from' });
  }
  if (to < from || to > head.position) {
    return refuse('absent', `to: ${to} is out of range from ${from}; ${holds}`, { param: 'to' });
  }
  return { head, range: { from, to } };
}

/**
 * `since` is the position of the event that set the key. `verifier_key` has the format of tools for
 * signed notes.
 */
export type AuditKey = Readonly<{ since: number; public_key: string; verifier_key: string }>;

const setKey = z.object({ public_key: z.string() });
const keysMax = 1_000;

/** Oldest first. */
export async function auditKeys(db: Queryable, { logId }: Pick<LogHead, 'logId'>) {
  const events = await listHistoryEvents(db, {
    type: 'AuditKeySet',
    stream: null,
    actorId: null,
    from: null,
    to: null,
    after: null,
    order: 'asc',
    limit: keysMax,
  });
  return events.map(({ position, payload }): AuditKey => {
    const { public_key } = setKey.parse(JSON.parse(payload ?? '{}'));
    return { since: position, public_key, verifier_key: verifierKey(logId, public_key) };
  });
}

/** Oldest first. `origin` is the name under which checkpoints of this log are signed. */
export async function signedCheckpoints(
  db: Queryable,
  { after, limit }: Readonly<{ after: number; limit: number }>,
) {
  const head = await readHead(db);
  const listed = await listSignedCheckpoints(db, { after, to: head.position, limit });
  return {
    origin: `gw/${head.logId}`,
    keys: await auditKeys(db, head),
    checkpoints: listed.map(({ position, note, created_at }) => ({
      position,
      note,
      created_at: created_at.toISOString(),
    })),
  };
}
