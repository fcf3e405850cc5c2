// Lists the events, commands and versions of an export page by page, in the shapes of the control
// plane.

import { eventMetadata } from '../../../../events/event.ts';
import { worded } from '../../../../projections/change-words.ts';
import { historyCommandOf } from '../../../../projections/history-command.ts';
import { historyEventOf } from '../../../../projections/history-event.ts';
import type { Command, LogEvent, Stream, WholeEvent } from '../../../../ui/api/history.ts';
import type { SnapshotVersion } from '../../../../ui/api/snapshots.ts';
import { isTouching } from './open-log.ts';
import type { OpenLog } from './open-log.ts';
import type { Entry } from './log-index.ts';
import { Refused } from './moment.ts';
import { actorName, notInExport, recordName } from './names.ts';
import type { Told } from './names.ts';

export type Asked = Readonly<Record<string, string>>;

const rowsMax = 1_000;

const limitOf = (asked: Asked): number => Math.min(rowsMax, Number(asked['limit'] ?? 100) || 100);

type Fits = (entry: Entry) => boolean;

/** Sorted and limited. */
function pageOf(entries: readonly Entry[], asked: Asked, fits: Fits): readonly Entry[] {
  const ordered = asked['order'] === 'asc' ? entries : entries.toReversed();
  return ordered.values().filter(fits).take(limitOf(asked)).toArray();
}

/** True after the last position of the previous page. */
function isBehind({ order, after }: Asked): Fits {
  if (after === undefined) return () => true;
  const held = Number(after);
  return order === 'asc' ? ({ position }) => position > held : ({ position }) => position < held;
}

function isInTime({ from, to }: Asked): Fits {
  const since = from === undefined ? -Infinity : Date.parse(from);
  const until = to === undefined ? Infinity : Date.parse(to);
  return ({ at }) => at >= since && at < until;
}

function isAsked(asked: Asked): Fits {
  const { stream, type, command, actor, actor_kind: kind } = asked;
  const inTime = isInTime(asked);
  return (entry) =>
    (stream === undefined || entry.stream === stream) &&
    (type === undefined || entry.type === type) &&
    (command === undefined || entry.command === command) &&
    (actor === undefined || entry.actorId === Number(actor)) &&
    (kind === undefined || entry.actorKind === kind) &&
    inTime(entry);
}

export async function listEvents(log: OpenLog, asked: Asked): Promise<readonly LogEvent[]> {
  const [behind, fits] = [isBehind(asked), isAsked(asked)];
  const found = pageOf(log.index.entries, asked, (entry) => behind(entry) && fits(entry));
  return (await log.events(found)).map(historyEventOf);
}

/** Sorted by name. */
export function listStreams({ index }: OpenLog, asked: Asked): readonly Stream[] {
  const { part = '', after = '' } = asked;
  return [...Map.groupBy(index.entries, ({ stream }) => stream)]
    .filter(([name]) => name > after && name.toLowerCase().includes(part.toLowerCase()))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, limitOf(asked))
    .map(([stream, entries]) => {
      const { position = 0, at = 0 } = entries.at(-1) ?? {};
      const last_at = new Date(at).toISOString();
      return { stream, events: entries.length, last_position: position, last_at };
    });
}

export async function getEvent(log: OpenLog, position: number): Promise<WholeEvent> {
  const { entries, from, at } = log.index;
  const entry = at(position);
  const [line, before] = await log.events([at(position), at(position - 1)].filter(isThere));
  if (entry === undefined || line === undefined) {
    throw new Refused(404, `the export has no position ${position}`);
  }
  const inStream = entries.filter(({ stream }) => stream === entry.stream);
  const place = inStream.indexOf(entry);
  return {
    ...historyEventOf(line),
    previous_hash: before?.hash ?? (from === 1 ? null : (log.verified?.before ?? null)),
    previous_in_stream: inStream[place - 1]?.position ?? null,
    next_in_stream: inStream[place + 1]?.position ?? null,
  };
}

const isThere = (entry: Entry | undefined): entry is Entry => entry !== undefined;

/** The export can end within the last command. */
const endsOf = ({ index }: OpenLog): readonly Entry[] =>
  index.entries.filter(({ position, last }) => position === last || position === index.last());

/** The position of its last event identifies a command. */
export async function listCommands(
  log: OpenLog,
  told: Told,
  asked: Asked,
): Promise<readonly Command[]> {
  const [behind, fits] = [isBehind(asked), isAsked(asked)];
  const { entries, from } = log.index;
  const hasOne = ({ first, position }: Entry): boolean =>
    entries.slice(Math.max(0, first - from), position - from + 1).some(fits);
  const ends = pageOf(endsOf(log), asked, (entry) => behind(entry) && hasOne(entry));
  return commandsAt(log, told, ends);
}

async function commandsAt(
  log: OpenLog,
  told: Told,
  ends: readonly Entry[],
): Promise<readonly Command[]> {
  const lines = await log.events(ends);
  const rows = await told.changes(ends.map(({ position }) => position));
  return lines.map((line) => {
    const own = rows.get(line.position);
    const {
      actor,
      reason_ref,
      index: place,
      ...about
    } = eventMetadata.parse(JSON.parse(line.metadata));
    const { position: id, tx_id } = line;
    const { principal_id: actor_id, kind: actor_kind } = actor;
    const first = id - place;
    const stream = log.index.at(first)?.stream ?? line.stream;
    const command = { ...about, first_position: first, event_count: about.count };
    const facts = { ...command, id, tx_id, actor_id, actor_kind, stream };
    const row = historyCommandOf(facts, line.recorded_at, {
      actor_name: own?.actor_name ?? actorName(log, actor_id) ?? actor_kind,
      reason: own?.reason ?? (reason_ref === null ? null : notInExport),
      reason_erased: own?.reason_erased ?? false,
      version_before: log.index.version(first - 1),
      version_after: log.index.version(id),
    });
    return worded(row, recordName(log, stream));
  });
}

/** A log does not contain what replicas served. */
export async function listVersions(
  log: OpenLog,
  told: Told,
  asked: Asked,
): Promise<readonly SnapshotVersion[]> {
  const { before = Infinity, after = -Infinity } = asked;
  const inTime = isInTime(asked);
  const ends = pageOf(
    endsOf(log),
    asked,
    (entry) =>
      entry.version !== log.index.version(entry.first - 1) &&
      entry.version < Number(before) &&
      entry.version > Number(after) &&
      inTime(entry),
  );
  const commands = await commandsAt(log, told, ends);
  return commands.map((made) => ({
    version: made.version_after,
    // A log contains neither.
    snapshot_schema: 0,
    content_hash: '',
    changed: streamsOf(log, made),
    created_at: made.at,
    made_by: made,
    replicas: [],
    served_by: { replicas: 0, first: [] },
  }));
}

function streamsOf({ index }: OpenLog, { first_position: first, id }: Command): string[] {
  const own = index.entries.slice(Math.max(0, first - index.from), id - index.from + 1);
  return [...new Set(own.filter(({ type }) => isTouching(type)).map(({ stream }) => stream))];
}
