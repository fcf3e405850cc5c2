// Where in a file each event of a log lies, and what is filtered by: a few numbers an event, so that a log of any length is looked
// through without holding it. The events themselves are read where they are shown.

import type { Line } from './lines.ts';
import type { EventLine } from '../../../events/export-check.ts';

/** What of the metadata of an event is looked through. */
export type Indexed = Readonly<{
  event: EventLine;
  line: Omit<Line, 'text'>;
  actorKind: string;
  actorId: number | null;
  command: string;
  /** It begins its command. */
  isFirst: boolean;
  /** The snapshot version behind it. */
  version: number;
}>;

export type LogIndex = Readonly<{
  /** Positions: the first and the last one held; the last is below the first where none is. */
  from: number;
  last: () => number;
  add: (one: Indexed) => void;
  line: (position: number) => Omit<Line, 'text'>;
  recordedAt: (position: number) => number;
  actorId: (position: number) => number | null;
  actorKind: (position: number) => string;
  /** The snapshot version behind a position; before the first one, that in front of it. */
  version: (position: number) => number;
  /** Where the commands begin, in their order. */
  commands: readonly number[];
  /** The numbers of texts that were met. */
  typeNumber: (type: string) => number | undefined;
  commandNumber: (command: string) => number | undefined;
  streamNumber: (stream: string) => number | undefined;
  streamText: (number: number) => string;
  typeAt: (position: number) => number;
  commandAt: (position: number) => number;
  streamAt: (position: number) => number;
  actors: ReadonlySet<number>;
}>;

/** Nobody acted: the program itself. */
const nobody = 0;

export function createLogIndex(from: number, versionBefore: number): LogIndex {
  const starts: number[] = [];
  const ends: number[] = [];
  const times: number[] = [];
  const actorIds: number[] = [];
  const actorKinds: number[] = [];
  const versions: number[] = [];
  const types: number[] = [];
  const commandsOf: number[] = [];
  const streams: number[] = [];
  const commands: number[] = [];
  const kinds = createNumbers();
  const typeNames = createNumbers();
  const commandNames = createNumbers();
  const streamNames = createNumbers();
  const actors = new Set<number>();
  const of = (column: readonly number[], position: number): number => column[position - from] ?? 0;
  return {
    from,
    last: () => from + starts.length - 1,
    add: ({ event, line, actorKind, actorId, command, isFirst, version }) => {
      if (isFirst || starts.length === 0) commands.push(event.position);
      starts.push(line.start);
      ends.push(line.end);
      times.push(event.recorded_at);
      actorIds.push(actorId ?? nobody);
      actorKinds.push(kinds.of(actorKind));
      versions.push(version);
      commandsOf.push(commandNames.of(command));
      types.push(typeNames.of(event.type));
      streams.push(streamNames.of(event.stream));
      if (actorId !== null) actors.add(actorId);
    },
    line: (position) => ({ start: of(starts, position), end: of(ends, position) }),
    recordedAt: (position) => of(times, position),
    actorId: (position) => of(actorIds, position) || null,
    actorKind: (position) => kinds.text(of(actorKinds, position)),
    version: (position) => (position < from ? versionBefore : of(versions, position)),
    commands,
    typeNumber: typeNames.known,
    commandNumber: commandNames.known,
    streamNumber: streamNames.known,
    streamText: streamNames.text,
    commandAt: (position) => of(commandsOf, position),
    typeAt: (position) => of(types, position),
    streamAt: (position) => of(streams, position),
    actors,
  };
}

/** Texts by numbers, in the order in which they are met. */
function createNumbers() {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    of: (text: string): number => {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
    known: (text: string): number | undefined => numbers.get(text),
    text: (number: number): string => texts[number] ?? '',
  };
}

/** The number of the last of the ascending numbers that is at most this; -1 is none. */
export function lastAtMost(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
