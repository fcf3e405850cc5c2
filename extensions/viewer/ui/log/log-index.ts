// Indexes the events of an open log: the values that lists filter by, and the byte range of each event. Events are read when shown, so that
// logs of any length fit.

/** About 70 bytes per event, because repeated texts are shared. */
export type Entry = Readonly<{
  position: number;
  stream: string;
  type: string;
  command: string;
  actorKind: string;
  actorId: number | null;
  /** Epoch milliseconds. */
  at: number;
  /** The snapshot version after the event. */
  version: number;
  /** The positions of its command. */
  first: number;
  last: number;
  /** Byte range in the file. */
  start: number;
  end: number;
}>;

export type LogIndex = Readonly<{
  /** `to` is below `from` if there are no events. */
  from: number;
  last: () => number;
  add: (entry: Entry) => void;
  /** Sorted by position. */
  entries: readonly Entry[];
  at: (position: number) => Entry | undefined;
  /** The snapshot version after a position; before the first one, the initial version. */
  version: (position: number) => number;
}>;

export function createLogIndex(from: number, versionBefore: number): LogIndex {
  const entries: Entry[] = [];
  const texts = new Map<string, string>();
  const once = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  const at = (position: number): Entry | undefined => entries[position - from];
  return {
    from,
    last: () => from + entries.length - 1,
    add: ({ stream, type, command, actorKind, ...entry }) => {
      const recurring = { stream: once(stream), type: once(type), command: once(command) };
      entries.push({ ...entry, ...recurring, actorKind: once(actorKind) });
    },
    entries,
    at,
    version: (position) => at(position)?.version ?? versionBefore,
  };
}
