// Verifies an export of the log line by line, by the rules of deploy/verify.mjs and with its findings: every byte is either hashed or
// follows from what is, audit keys are handed over, checkpoints are signed by the key that is in force.

import { noneRedacted, redactedText, withRedacted } from '../../../src/lib/redacted-events.ts';
import { base64Of, hexBytes, isCheckpoint, isSigned } from './signature.ts';
import { createDigest } from './sha256.ts';
import type { Digest } from './sha256.ts';

/** What an auditor brings along. */
export type Trust = Readonly<{
  /** An audit key, 64 hex digits, which must have signed any of it; null believes those in the log. */
  key: string | null;
  /** Checkpoints that were kept, which the log must hold: notes. */
  anchors: readonly string[];
}>;

export type Finding = Readonly<{ position: number; problem: string }>;

/** An event as a line has it. */
export type EventLine = Readonly<{
  position: number;
  stream: string;
  version: number;
  event_id: string;
  type: string;
  schema: number;
  tx_id: string;
  /** Epoch milliseconds. */
  recorded_at: number;
  metadata: string;
  /** Null was erased. */
  payload: string | null;
  payload_digest: string;
  leaf_hash: string;
  hash: string;
}>;

type Head = Readonly<{
  log_id: string;
  from: number;
  to: number;
  previous_hash: string;
  audit_key: string | null;
}>;

/** Where a verification stands. `position` and `hash` are of the last event that holds. */
export type Verified = Readonly<{
  logId: string;
  from: number;
  to: number;
  /** The hash in front of the first event. */
  before: string;
  position: number;
  hash: string;
  /** The audit key in force there; null is none. */
  key: string | null;
  checkpoints: number;
}>;

type Line = Readonly<Record<string, unknown>>;
type Kind = 'gw_log_export' | 'position' | 'checkpoint' | 'end';

/** The members of lines, in the order in which they are written. */
const memberNames = (
  'gw_log_export log_id from to previous_hash audit_key position stream version event_id type ' +
  'schema tx_id recorded_at metadata payload payload_digest leaf_hash checkpoint end hash events ' +
  'checkpoints'
).split(' ');
const memberCounts: Readonly<Record<string, number>> = {
  gw_log_export: 6,
  position: 13,
  checkpoint: 1,
  end: 4,
} satisfies Record<Kind, number>;

class Broken extends Error {
  readonly position: number | null;

  constructor(problem: string, position: number | null = null) {
    super(problem);
    this.position = position;
  }
}

function must(holds: boolean, problem: string, position: number | null = null): asserts holds {
  if (!holds) throw new Broken(problem, position);
}

export type LogVerifier = Readonly<{
  /** The next line; nothing is to be taken behind a finding. Answers the event that it is, if it is one and holds. */
  take: (line: string) => Promise<EventLine | Finding | null>;
  /** What does not hold where no line follows. */
  end: () => Finding | null;
  state: () => Verified | null;
}>;

export const isFinding = (taken: EventLine | Finding | null): taken is Finding =>
  taken !== null && 'problem' in taken;

/** Where a pack ends is signed with its manifest, so kept checkpoints may lie behind that. */
export function createLogVerifier(
  { key, anchors }: Trust,
  { isPack }: Readonly<{ isPack: boolean }>,
): LogVerifier {
  const digest = createDigest();
  const anchored = Map.groupBy(anchors, (note) => Number(note.split('\n')[1]));
  let log: Verified | null = null;
  let isOver = false;
  let redacted = noneRedacted;
  let isVouched = key === null;

  const holdsNotes = async (record: Line, at: Verified): Promise<void> => {
    const own = record['checkpoint'];
    const notes =
      anchored.get(Number(record['position'])) ??
      (typeof own === 'string' && own !== '' ? [own] : []);
    for (const note of notes) {
      const holds = await isCheckpoint(digest, note, at);
      must(holds, 'a checkpoint states otherwise, or is forged', at.position);
      isVouched ||= at.key === key;
    }
  };

  const taken = async (line: string): Promise<EventLine | null> => {
    const record = readLine(line);
    const [kind = ''] = Object.keys(record);
    must((kind === 'gw_log_export') === (log === null) && !isOver, 'the line is out of place');
    const event = isEvent(record) ? record : null;
    if (log === null) log = begun(digest, record);
    else if (event !== null) {
      log = await followed(digest, log, event);
      if (event.payload === null) redacted = withRedacted(redacted, event.position);
    } else if (kind === 'checkpoint') log = { ...log, checkpoints: log.checkpoints + 1 };
    await holdsNotes(record, log);
    const { position, hash, from, checkpoints } = log;
    const events = position - from + 1;
    isOver = line === JSON.stringify({ end: position, hash, events, checkpoints });
    must(kind !== 'end' || isOver, 'the end is not that of the events');
    return event;
  };

  const found = (error: unknown): Finding => ({
    position: (error instanceof Broken ? error.position : null) ?? (log?.position ?? 0) + 1,
    problem: error instanceof Error ? error.message : String(error),
  });

  return {
    take: (line) => taken(line).catch(found),
    end: () => {
      try {
        must(isOver && log !== null && log.position === log.to, 'the export is cut off');
        const { position, to } = log;
        const isReached = isPack || [...anchored.keys()].every((at) => at <= to);
        must(isReached, 'the log ends before a checkpoint');
        isVouched ||= isPack && log.key === key;
        must(isVouched, 'the trusted audit key signed nothing of this', position);
        const blank = redactedText(redacted);
        if (blank !== null) throw new Broken(blank, redacted.positions[0]);
        return null;
      } catch (error) {
        return found(error);
      }
    },
    state: () => log,
  };
}

/** Throws when a byte of it is not as it was written. */
function readLine(line: string): Line {
  const record: unknown = JSON.parse(line);
  const [kind = '', ...others] = Object.keys(Object(record));
  const isExact = JSON.stringify(record, memberNames) === line;
  must(isExact && others.length + 1 === memberCounts[kind], 'the line is altered');
  return Object.fromEntries(Object.entries(Object(record)));
}

const isEvent = (record: Line): record is Line & EventLine => 'position' in record;
const isHead = (record: Line): record is Line & Head => 'gw_log_export' in record;

function begun(digest: Digest, head: Line): Verified {
  must(isHead(head), 'the line is out of place');
  const { log_id: logId, from, to, previous_hash: before, audit_key: key } = head;
  const isGenesis = key === null && digest(`gw-log-genesis${logId}`) === before;
  must(from > 1 || isGenesis, 'the export does not begin as its log does');
  return { logId, from, to, before, position: from - 1, hash: before, key, checkpoints: 0 };
}

async function followed(digest: Digest, log: Verified, event: EventLine): Promise<Verified> {
  must(event.position === log.position + 1, `the next event is ${event.position}`);
  const { position, stream, version, event_id, type, schema, tx_id, recorded_at: at } = event;
  const { payload, payload_digest: own } = event;
  must(payload === null || digest(payload) === own, 'the payload is altered');
  const head = ['\0gw-event-v1', position, stream, version, event_id, type, schema, tx_id, at];
  const leaf = digest([...head, digest(event.metadata), own, ''].join('\n'));
  must(leaf === event.leaf_hash, 'the envelope does not have its leaf hash');
  const hash = digest(link(log.hash, leaf));
  must(hash === event.hash, 'the event does not follow the one before it');
  const next = type === 'AuditKeySet' ? await keySet(log, payload) : null;
  return { ...log, position, hash, key: next ?? log.key };
}

/** RFC 6962: a node, whose bytes are never those of a leaf. */
const link = (before: string, leaf: string): Uint8Array => hexBytes(`01${before}${leaf}`);

/** The audit key that an event sets, handed over by the one before it. */
async function keySet({ logId, key }: Verified, payload: string | null): Promise<string> {
  const { public_key: next, signature } = Object(JSON.parse(payload ?? 'null'));
  const text = `gw-audit-key-v1\n${logId}\n${key}\n${next}\n`;
  const holds = key === null || (await isSigned(text, String(signature ?? ''), key));
  must(holds, 'the audit key is not handed over');
  return String(next);
}

/** Whether the audit key signed the manifest of a pack, by its SHA-256. */
export const isPackSigned = (sum: string, signature: Uint8Array, key: string): Promise<boolean> =>
  isSigned(`gw-evidence-v1\n${sum}\n`, base64Of(signature), key);
