// Reads an export of the log line by line and verifies each line, up to the first invalid one.

import { createExportCheck, noTrust } from '../../../events/export-check.ts';
import type { EventLine, Finding, Trust, Verified } from '../../../events/export-check.ts';
import type { StoredEvent } from '../../db/log/event-log.ts';
import { noneRedacted } from '../../lib/redacted-events.ts';
import type { RedactedEvents } from '../../lib/redacted-events.ts';
import { means } from './means.ts';

export type ExportRead = Readonly<{
  logId: string | null;
  events: number;
  checkpoints: number;
  /** Hex. Null if nothing could be read. */
  hash: string | null;
  redacted: RedactedEvents;
  /** Null if all lines are valid. */
  problem: Finding | null;
}>;

type Options = Partial<Trust> &
  Readonly<{
    onHead?: (head: Pick<Verified, 'logId' | 'from'>) => Promise<void>;
    onEvent?: (event: StoredEvent) => Promise<void> | void;
    onCheckpoint?: (
      checkpoint: Readonly<{ position: number; note: string }>,
    ) => Promise<void> | void;
  }>;

/** Takes lines without line ends. An event without a payload is counted and is not a problem. */
export async function readExport(
  lines: AsyncIterable<string> | Iterable<string>,
  { onHead, onEvent, onCheckpoint, ...trust }: Options = {},
): Promise<ExportRead> {
  const check = createExportCheck({ ...noTrust, ...trust, allowRedacted: true }, means);
  for await (const line of lines) {
    const taken = await check.take(line);
    const state = check.state();
    if (taken.kind === 'finding') return readOf(state, taken);
    if (taken.kind === 'event') await onEvent?.(toStored(taken.event));
    else if (state === null) continue;
    else if (taken.kind === 'head') await onHead?.(state);
    else if (taken.kind === 'checkpoint') {
      await onCheckpoint?.({ position: state.position, note: taken.note });
    }
  }
  return readOf(check.state(), check.end());
}

const readOf = (state: Verified | null, problem: Finding | null): ExportRead => ({
  events: state === null ? 0 : state.position - state.from + 1,
  checkpoints: state?.checkpoints ?? 0,
  logId: state?.logId ?? null,
  hash: state?.hash ?? null,
  problem: problem === null ? null : { position: problem.position, problem: problem.problem },
  redacted: state?.redacted ?? noneRedacted,
});

const toStored = (event: EventLine): StoredEvent => ({
  position: event.position,
  stream: event.stream,
  version: event.version,
  eventId: event.event_id,
  type: event.type,
  schema: event.schema,
  txId: event.tx_id,
  recordedAt: event.recorded_at,
  metadata: event.metadata,
  payload: event.payload,
  payloadDigest: Buffer.from(event.payload_digest, 'hex'),
  leafHash: Buffer.from(event.leaf_hash, 'hex'),
  hash: Buffer.from(event.hash, 'hex'),
});
