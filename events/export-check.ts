// Verifies an export of the log line by line: every byte is either hashed or follows from hashed
// bytes. The command line, the management UI and the offline viewer run this module.
// deploy/verify.mjs is a second, independent program that must report the same problem at the same
// position.

import { noneRedacted, redactedText, withRedacted } from '../src/lib/redacted-events.ts';
import type { RedactedEvents } from '../src/lib/redacted-events.ts';
import { hexBytes } from './bytes.ts';
import { createChainCheck, firstLink } from './chain.ts';
import type { ChainCheck, Means } from './chain.ts';
import { genesisHex } from './hashed-text.ts';

export type Trust = Readonly<{
  /**
   * An audit key, 64 hex digits, which must have signed a part of the log. Null trusts the keys in
   * the log.
   */
  key: string | null;
  /** Checkpoints that were kept elsewhere. The log must match them. */
  anchors: readonly string[];
}>;

export const noTrust: Trust = { key: null, anchors: [] };

export type Finding = Readonly<{ position: number; problem: string }>;

/** Digests are 64 hex digits. */
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
  /** Null after a redaction. */
  payload: string | null;
  payload_digest: string;
  leaf_hash: string;
  hash: string;
}>;

type Head = Readonly<{
  gw_log_export: number;
  log_id: string;
  from: number;
  to: number;
  previous_hash: string;
  audit_key: string | null;
}>;
type Note = Readonly<{ checkpoint: string }>;
type End = Readonly<{ end: number; hash: string; events: number; checkpoints: number }>;
type Line = Head | EventLine | Note | End;

/** `position` and `hash` are those of the last verified event. */
export type Verified = Readonly<{
  logId: string;
  from: number;
  to: number;
  /** The hash before the first event. */
  before: string;
  position: number;
  hash: string;
  /** Null if there is no audit key. */
  key: string | null;
  checkpoints: number;
  /** Verified events without a payload. */
  redacted: RedactedEvents;
}>;

export type Taken =
  | Readonly<{ kind: 'head' | 'end' }>
  | Readonly<{ kind: 'event'; event: EventLine }>
  | Readonly<{ kind: 'checkpoint'; note: string }>
  | Readonly<{ kind: 'finding' } & Finding>;

export type ExportCheck = Readonly<{
  /** The line has no line end. After a finding it must not be called again. */
  take: (line: string) => Promise<Taken>;
  /** The finding if the export ended here; null if it may end. */
  end: () => Finding | null;
  /** Null before the first line. */
  state: () => Verified | null;
}>;

class Broken extends Error {
  readonly position: number | null;

  constructor(problem: string, position: number | null) {
    super(problem);
    this.position = position;
  }
}

function must(holds: boolean, problem: string, position: number | null = null): asserts holds {
  if (!holds) throw new Broken(problem, position);
}

type Options = Trust &
  Readonly<{
    /**
     * True for the log of an evidence pack. The signed manifest covers its end, so kept checkpoints
     * may have later positions.
     */
    isPack?: boolean;
    allowRedacted?: boolean;
  }>;

export function createExportCheck(options: Options, means: Means): ExportCheck {
  const notes = createNoteCheck(options);
  let open: Readonly<{ head: Head; chain: ChainCheck }> | null = null;
  let isOver = false;
  let checkpoints = 0;
  let redacted = noneRedacted;

  const position = (): number => open?.chain.at().position ?? 0;

  const taken = async (text: string): Promise<Taken> => {
    const line = readLine(text);
    must('gw_log_export' in line === (open === null) && !isOver, 'the line is out of place');
    if ('gw_log_export' in line) {
      open = { head: line, chain: begun(line, means) };
      return { kind: 'head' };
    }
    must(open !== null, 'the line is out of place');
    const { head, chain } = open;
    if ('position' in line) {
      const problem = await chain.event(hashedText(line));
      must(problem === null, problem ?? '');
      if (line.payload === null) redacted = withRedacted(redacted, line.position);
      await notes.anchors(chain);
      return { kind: 'event', event: line };
    }
    if ('checkpoint' in line) {
      await notes.hold(chain, line.checkpoint);
      checkpoints += 1;
      return { kind: 'checkpoint', note: line.checkpoint };
    }
    const { hash } = chain.at();
    const events = position() - head.from + 1;
    isOver = text === JSON.stringify({ end: position(), hash, events, checkpoints });
    must(isOver, 'the end does not match the events');
    return { kind: 'end' };
  };

  const finding = (error: unknown): Finding => ({
    position: (error instanceof Broken ? error.position : null) ?? position() + 1,
    problem: error instanceof Error ? error.message : String(error),
  });

  return {
    take: (line) =>
      taken(line).catch((error: unknown) => ({ kind: 'finding' as const, ...finding(error) })),
    end: () => {
      try {
        must(isOver && open !== null && position() === open.head.to, 'the export is cut off');
        notes.end(open.chain);
        const blank = options.allowRedacted === true ? null : redactedText(redacted);
        must(blank === null, blank ?? '', redacted.positions[0]);
        return null;
      } catch (error) {
        return finding(error);
      }
    },
    state: () => {
      if (open === null) return null;
      const { log_id: logId, from, to, previous_hash: before } = open.head;
      const { position: at, hash, auditKey } = open.chain.at();
      return { logId, from, to, before, position: at, hash, key: auditKey, checkpoints, redacted };
    },
  };
}

/** Compares checkpoints with the chain, and tracks whether the trusted key signed any. */
function createNoteCheck({ key, anchors, isPack = false }: Options) {
  const anchored = Map.groupBy(anchors, (note) => Number(note.split('\n')[1]));
  let isVouched = key === null;
  const hold = async (chain: ChainCheck, note: string): Promise<void> => {
    const problem = await chain.checkpoint(note);
    const { position, auditKey } = chain.at();
    const text = `a checkpoint contradicts the log or is forged: ${problem}`;
    must(problem === null, text, position);
    isVouched ||= auditKey === key;
  };
  return {
    hold,
    /** Checks the kept checkpoints of the current position. */
    anchors: async (chain: ChainCheck): Promise<void> => {
      for (const note of anchored.get(chain.at().position) ?? []) await hold(chain, note);
    },
    end: (chain: ChainCheck): void => {
      const { position, auditKey } = chain.at();
      const isReached = isPack || [...anchored.keys()].every((at) => at <= position);
      must(isReached, 'the log ends before a checkpoint');
      const isVouchedNow = isVouched || (isPack && auditKey === key);
      must(isVouchedNow, 'the trusted audit key signed no part of this', position);
    },
  };
}

/** For each kind of line, in the order in which the members are written. */
const shapes: ReadonlySet<string> = new Set([
  'gw_log_export:number log_id:string from:number to:number previous_hash:string audit_key:string',
  'position:number stream:string version:number event_id:string type:string schema:number ' +
    'tx_id:string recorded_at:number metadata:string payload:string payload_digest:string ' +
    'leaf_hash:string hash:string',
  'checkpoint:string',
  'end:number hash:string events:number checkpoints:number',
]);

const shapeOf = (line: object): string =>
  Object.entries(line)
    .map(([name, value]) => `${name}:${value === null ? 'null' : typeof value}`)
    .join(' ')
    .replace(/(payload|audit_key):null/, '$1:string');

/** Throws if the line differs by one byte from what the export writes. */
function readLine(text: string): Line {
  const line: Line = JSON.parse(text);
  const isExact = JSON.stringify(line) === text && shapes.has(shapeOf(line));
  must(isExact, 'the line is altered');
  return line;
}

function begun(head: Head, means: Means): ChainCheck {
  const { log_id: logId, from, previous_hash: before, audit_key: auditKey } = head;
  const isGenesis = auditKey === null && genesisHex(logId) === before;
  must(from > 1 || isGenesis, 'the export does not begin like its log');
  const link = { ...firstLink(logId), position: from - 1, hash: hexBytes(before), auditKey };
  return createChainCheck(logId, means, link);
}

function hashedText(line: EventLine) {
  const { position, stream, version, event_id, type, schema, tx_id, recorded_at } = line;
  const fields = [position, stream, version, event_id, type, schema, tx_id, recorded_at];
  return {
    envelope: fields.join('\n'),
    metadata: line.metadata,
    payload: line.payload,
    payloadDigest: line.payload_digest,
    leafHash: line.leaf_hash,
    hash: line.hash,
  };
}
