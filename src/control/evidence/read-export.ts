// An export of the log, read line by line and checked as it is read: every byte of it is either hashed, or follows from what is. What
// deploy/verify.mjs does without this program.

import { z } from 'zod';

import { isNoteSigned, readNote } from '../../../events/checkpoint.ts';
import { genesisHash } from '../../../events/seal.ts';
import type { HashedText } from '../../../events/seal.ts';
import type { StoredEvent } from '../../db/event-log.ts';
import { noneRedacted, withRedacted } from '../../lib/redacted-events.ts';
import type { RedactedEvents } from '../../lib/redacted-events.ts';
import { createChainCheck, firstLink } from './chain.ts';
import type { ChainCheck } from './chain.ts';

const position = z.int().positive();
const hash = z.hash('sha256');

const headLine = z.strictObject({
  gw_log_export: z.literal(1),
  log_id: z.uuid(),
  from: position,
  to: position,
  previous_hash: hash,
  audit_key: hash.nullable(),
});
const eventLine = z.strictObject({
  position,
  stream: z.string(),
  version: z.int(),
  event_id: z.uuid(),
  type: z.string(),
  schema: z.int(),
  tx_id: z.uuid(),
  recorded_at: z.int(),
  metadata: z.string(),
  payload: z.string().nullable(),
  payload_digest: hash,
  leaf_hash: hash,
  hash,
});
const noteLine = z.strictObject({ checkpoint: z.string() });
const endLine = z.strictObject({ end: position, hash, events: z.int(), checkpoints: z.int() });

type Head = z.output<typeof headLine>;
type EventLine = z.output<typeof eventLine>;

export type ExportCheck = Readonly<{
  logId: string | null;
  events: number;
  checkpoints: number;
  /** Hex digits; null when nothing could be read. */
  hash: string | null;
  /** Events that hold, and have no payload. */
  redacted: RedactedEvents;
  /** The first one; null when all holds. */
  problem: Readonly<{ position: number; problem: string }> | null;
}>;

type Options = Readonly<{
  /** An audit key that is trusted, 64 hex digits: it must have signed a checkpoint. Without it, those in the log are believed. */
  key?: string | null;
  /** Checkpoints that were kept elsewhere: notes. */
  anchors?: readonly string[];
  onHead?: (head: Head) => Promise<void>;
  /** Told of each event that holds, in order. */
  onEvent?: (event: StoredEvent) => Promise<void> | void;
  onCheckpoint?: (checkpoint: Readonly<{ position: number; note: string }>) => Promise<void> | void;
}>;

/** `lines` without their line ends. */
export async function readExport(
  lines: AsyncIterable<string> | Iterable<string>,
  options: Options = {},
): Promise<ExportCheck> {
  const reading = createReading(options);
  for await (const line of lines) {
    const problem = await reading.take(line);
    if (problem !== null) return reading.found(problem);
  }
  return reading.found(reading.end());
}

/** Where it is: in front of the head line, among events, behind the end line. */
type Stage = Readonly<{ head: Head | null; check: ChainCheck | null; isOver: boolean }>;

function createReading({ key = null, anchors = [], ...options }: Options) {
  const anchored = Map.groupBy(anchors, (note) => readNote(note)?.position ?? -1);
  let stage: Stage = { head: null, check: null, isOver: false };
  const counts = { events: 0, checkpoints: 0 };
  let hasKeySigned = false;
  let redacted = noneRedacted;

  const begin = async (head: Head): Promise<string | null> => {
    if (!beginsRightly(head)) return 'the export does not begin as its log does';
    const { log_id: logId, from, audit_key: auditKey } = head;
    const hash = Buffer.from(head.previous_hash, 'hex');
    const link = { ...firstLink(logId), position: from - 1, hash, auditKey };
    stage = { head, check: createChainCheck(logId, link), isOver: false };
    await options.onHead?.(head);
    return null;
  };

  const takeEvent = async (check: ChainCheck, event: EventLine): Promise<string | null> => {
    const problem = check.event(toHashed(event));
    if (problem !== null) return problem;
    counts.events += 1;
    if (event.payload === null) redacted = withRedacted(redacted, event.position);
    for (const note of anchored.get(event.position) ?? []) {
      const broken = check.checkpoint(note);
      if (broken !== null) return `against an anchor: ${broken}`;
      hasKeySigned ||= key !== null && isNoteSigned(note, key);
    }
    await options.onEvent?.(toStored(event));
    return null;
  };

  const takeNote = async (check: ChainCheck, note: string): Promise<string | null> => {
    const problem = check.checkpoint(note);
    if (problem !== null) return problem;
    counts.checkpoints += 1;
    hasKeySigned ||= key !== null && isNoteSigned(note, key);
    await options.onCheckpoint?.({ position: check.link().position, note });
    return null;
  };

  return {
    take: async (line: string): Promise<string | null> => {
      const { head, check, isOver } = stage;
      if (isOver) return 'something follows the end of the export';
      const record = readLine(line);
      if (record === null) return 'the line is not as an export has it';
      if (head === null || check === null) {
        return 'gw_log_export' in record ? begin(record) : 'the export has no first line';
      }
      if ('position' in record) return takeEvent(check, record);
      if ('checkpoint' in record) return takeNote(check, record.checkpoint);
      if (!('end' in record)) return 'a second export begins';
      stage = { ...stage, isOver: true };
      const end = { end: head.to, hash: hex(check.link().hash), ...counts };
      const isReached = head.to === check.link().position;
      return isReached && JSON.stringify(end) === line ? null : 'the end is not that of its events';
    },
    /** What is wrong when no line follows. */
    end: (): string | null => {
      if (!stage.isOver) return 'the export is cut off';
      const missing = unreached(anchored, stage.check?.link().position ?? 0);
      if (missing !== null || key === null || hasKeySigned) return missing;
      return `the trusted audit key ${key} signed nothing of this export`;
    },
    found: (problem: string | null): ExportCheck => ({
      ...counts,
      ...endOf(stage, problem),
      redacted,
    }),
  };
}

function endOf({ head, check }: Stage, problem: string | null) {
  const link = check?.link();
  const position = (link?.position ?? 0) + 1;
  return {
    logId: head?.log_id ?? null,
    hash: link === undefined ? null : hex(link.hash),
    problem: problem === null ? null : { position, problem },
  };
}

/** Only behind other events there is something before. */
const beginsRightly = ({
  log_id: logId,
  from,
  audit_key: auditKey,
  previous_hash,
}: Head): boolean => from > 1 || (auditKey === null && previous_hash === hex(genesisHash(logId)));

function unreached(anchored: ReadonlyMap<number, readonly string[]>, end: number): string | null {
  const [unread] = anchored.get(-1) ?? [];
  if (unread !== undefined) return `an anchor cannot be read: ${JSON.stringify(unread)}`;
  const beyond = [...anchored.keys()].find((at) => at > end);
  return beyond === undefined ? null : `the export ends before, and an anchor is of ${beyond}`;
}

const anyLine = z.union([eventLine, noteLine, headLine, endLine]);

/** Null when a byte of it is not as it was written. */
function readLine(line: string): z.output<typeof anyLine> | null {
  try {
    const read = anyLine.safeParse(JSON.parse(line));
    return read.success && JSON.stringify(read.data) === line ? read.data : null;
  } catch {
    return null;
  }
}

const toHashed = (event: EventLine): HashedText => ({
  envelope: [
    event.position,
    event.stream,
    event.version,
    event.event_id,
    event.type,
    event.schema,
    event.tx_id,
    event.recorded_at,
  ].join('\n'),
  metadata: event.metadata,
  payload: event.payload,
  payloadDigest: event.payload_digest,
  leafHash: event.leaf_hash,
  hash: event.hash,
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

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
