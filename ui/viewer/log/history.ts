// The history that an export holds, in the shapes in which the control plane answers it: events, commands and snapshot versions, a page
// at a time, filtered by the index and read from the file.

import { eventMetadata } from '../../../events/event.ts';
import { sentenceOf } from '../../../projections/change-words.ts';
import type { Command, LogEvent, Stream, WholeEvent } from '../../api/history.ts';
import type { SnapshotVersion } from '../../api/snapshots.ts';
import { isTouching } from './open-log.ts';
import type { OpenLog } from './open-log.ts';
import { Refused } from './moment.ts';
import { actorName, notInExport, recordName } from './names.ts';
import type { Told } from './names.ts';
import type { EventLine } from '../../../events/export-check.ts';

export type Asked = Readonly<Record<string, string>>;

const rowsMax = 1_000;

const limitOf = (asked: Asked): number => Math.min(rowsMax, Number(asked['limit'] ?? 100) || 100);

/** Positions, the wanted end first: those behind `after`, as many as fit and are asked for. */
function pageOf(
  positions: readonly number[] | null,
  { index }: OpenLog,
  { asked, fits }: Readonly<{ asked: Asked; fits: (position: number) => boolean }>,
): readonly number[] {
  const isAscending = asked['order'] === 'asc';
  const count = positions?.length ?? index.last() - index.from + 1;
  const nth = (at: number): number => positions?.[at] ?? index.from + at;
  const after = asked['after'] === undefined ? null : Number(asked['after']);
  const limit = limitOf(asked);
  const found: number[] = [];
  for (let step = 0; step < count && found.length < limit; step += 1) {
    const position = nth(isAscending ? step : count - 1 - step);
    const isBehind = after === null || (isAscending ? position > after : position < after);
    if (isBehind && fits(position)) found.push(position);
  }
  return found;
}

/** What the index is asked of an event. */
function filterOf({ index }: OpenLog, asked: Asked): (position: number) => boolean {
  const { stream, type, command, actor, actor_kind: kind, from, to } = asked;
  const streamNumber = stream === undefined ? null : index.streamNumber(stream);
  const typeNumber = type === undefined ? null : index.typeNumber(type);
  const commandNumber = command === undefined ? null : index.commandNumber(command);
  const [since, until] = [from, to].map((time) => (time === undefined ? null : Date.parse(time)));
  return (position) =>
    (streamNumber === null || index.streamAt(position) === streamNumber) &&
    (typeNumber === null || index.typeAt(position) === typeNumber) &&
    (commandNumber === null || index.commandAt(position) === commandNumber) &&
    (actor === undefined || index.actorId(position) === Number(actor)) &&
    (kind === undefined || index.actorKind(position) === kind) &&
    (since === null || since === undefined || index.recordedAt(position) >= since) &&
    (until === null || until === undefined || index.recordedAt(position) < until);
}

export async function listEvents(log: OpenLog, asked: Asked): Promise<readonly LogEvent[]> {
  const positions = pageOf(null, log, { asked, fits: filterOf(log, asked) });
  return (await log.events(positions)).map(toEvent);
}

/** In the order of their names. */
export function listStreams({ index }: OpenLog, asked: Asked): readonly Stream[] {
  const { part = '', after = '' } = asked;
  const found = new Map<number, Stream>();
  for (let position = index.from; position <= index.last(); position += 1) {
    const number = index.streamAt(position);
    const events = (found.get(number)?.events ?? 0) + 1;
    const last_at = new Date(index.recordedAt(position)).toISOString();
    found.set(number, {
      stream: index.streamText(number),
      events,
      last_position: position,
      last_at,
    });
  }
  return [...found.values()]
    .filter(({ stream }) => stream > after && stream.toLowerCase().includes(part.toLowerCase()))
    .toSorted((a, b) => (a.stream < b.stream ? -1 : 1))
    .slice(0, limitOf(asked));
}

export async function getEvent(log: OpenLog, position: number): Promise<WholeEvent> {
  const { index, verified } = log;
  if (position < index.from || position > index.last()) {
    throw new Refused(404, `the export holds no position ${position}`);
  }
  const [line, before] = await log.events(
    position === index.from ? [position] : [position, position - 1],
  );
  if (line === undefined) throw new Refused(404, `the export holds no position ${position}`);
  return {
    ...toEvent(line),
    previous_hash: before?.hash ?? (index.from === 1 ? null : (verified?.before ?? null)),
    previous_in_stream: inStream(log, position, -1),
    next_in_stream: inStream(log, position, 1),
  };
}

function inStream({ index }: OpenLog, position: number, step: 1 | -1): number | null {
  const stream = index.streamAt(position);
  for (let at = position + step; at >= index.from && at <= index.last(); at += step) {
    if (index.streamAt(at) === stream) return at;
  }
  return null;
}

function toEvent({ metadata, payload, recorded_at: at, ...line }: EventLine): LogEvent {
  const { reason_ref: _ref, ...about } = eventMetadata.parse(JSON.parse(metadata));
  const data: unknown = payload === null ? null : JSON.parse(payload);
  return { ...line, recorded_at: new Date(at).toISOString(), ...about, data };
}

/** A command is known by the position of its last event. */
export async function listCommands(
  log: OpenLog,
  told: Told,
  asked: Asked,
): Promise<readonly Command[]> {
  const ends = log.index.commands.map((_, at) => endOfNth(log, at));
  const filter = filterOf(log, asked);
  const firstOf = new Map(ends.map((end, at) => [end, log.index.commands[at] ?? end]));
  // One event of it is enough: all of them have one actor and one time, and each its stream.
  const fits = (end: number): boolean => {
    for (let at = firstOf.get(end) ?? end; at <= end; at += 1) if (filter(at)) return true;
    return false;
  };
  return commandsAt(log, told, pageOf(ends, log, { asked, fits }));
}

function endOfNth({ index }: OpenLog, at: number): number {
  const next = index.commands[at + 1];
  return next === undefined ? index.last() : next - 1;
}

/** By the positions at which they end. */
export async function commandsAt(
  log: OpenLog,
  told: Told,
  ends: readonly number[],
): Promise<readonly Command[]> {
  const lines = await log.events(ends);
  const rows = await told.changes(ends);
  return lines.map((line) => {
    const own = rows.get(line.position);
    const about = eventMetadata.parse(JSON.parse(line.metadata));
    const first = line.position - about.index;
    const { principal_id: actorId, kind } = about.actor;
    const words = wordsAt(log, { first, command: about.command, count: about.count });
    return {
      id: line.position,
      tx_id: line.tx_id,
      at: new Date(line.recorded_at).toISOString(),
      actor_kind: kind,
      actor_id: actorId,
      actor_name: own?.actor_name ?? actorName(log, actorId) ?? kind,
      command: about.command,
      action: about.action,
      target: about.target,
      subject: words.subject,
      summary: words.summary,
      request_id: about.request_id,
      reason: own?.reason ?? (about.reason_ref === null ? null : notInExport),
      reason_erased: own?.reason_erased ?? false,
      first_position: first,
      event_count: about.count,
      version_before: log.index.version(first - 1),
      version_after: log.index.version(line.position),
    };
  });
}

type Beginning = Readonly<{ first: number; command: string; count: number }>;

function wordsAt(log: OpenLog, { first, command, count }: Beginning) {
  const stream = log.index.streamText(log.index.streamAt(first));
  const subject = { stream, name: recordName(log, stream) };
  return { subject, summary: sentenceOf({ command, subject, eventCount: count }) };
}

/** What replicas served is not in a log. */
export async function listVersions(
  log: OpenLog,
  told: Told,
  asked: Asked,
): Promise<readonly SnapshotVersion[]> {
  const { index } = log;
  const { from, to, before, after } = asked;
  const isAscending = asked['order'] === 'asc';
  const count = index.commands.length;
  const inTime = filterOf(log, { ...(from ? { from } : {}), ...(to ? { to } : {}) });
  const ends: number[] = [];
  for (let step = 0; step < count && ends.length < limitOf(asked); step += 1) {
    const at = isAscending ? step : count - 1 - step;
    const end = endOfNth(log, at);
    const version = index.version(end);
    if (version === index.version((index.commands[at] ?? end) - 1)) continue;
    const isAsked =
      (before === undefined || version < Number(before)) &&
      (after === undefined || version > Number(after));
    if (isAsked && inTime(end)) ends.push(end);
  }
  const commands = await commandsAt(log, told, ends);
  return Promise.all(
    commands.map(async (made) => ({
      version: made.version_after,
      created_at: made.at,
      // Neither is in a log.
      snapshot_schema: 0,
      content_hash: '',
      changed: await streamsOf(log, made),
      made_by: made,
      replicas: [],
      served_by: { replicas: 0, first: [] },
    })),
  );
}

async function streamsOf(log: OpenLog, { first_position: first, id }: Command) {
  const positions = Array.from({ length: id - first + 1 }, (_, at) => first + at);
  const events = await log.events(positions.slice(0, rowsMax));
  const touching = events.filter(({ type }) => isTouching(type));
  return [...new Set(touching.map(({ stream }) => stream))];
}
