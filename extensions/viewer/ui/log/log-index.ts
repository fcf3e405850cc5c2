// What an open log keeps of each event: what lists are filtered by, and where in the file the event lies. The events themselves are read
// where they are shown, so that a log of any length is looked through without holding it.

/** Some 70 bytes an event, as texts that recur are held once. */
export type Entry = Readonly<{
  position: number;
  stream: string;
  type: string;
  command: string;
  actorKind: string;
  actorId: number | null;
  /** Epoch milliseconds. */
  at: number;
  /** The snapshot version after it. */
  version: number;
  /** Positions at which its command begins and ends. */
  first: number;
  last: number;
  /** Bytes of the file. */
  start: number;
  end: number;
}>;

export type LogIndex = Readonly<{
  /** Positions: the first and the last one held; the last is below the first where none is. */
  from: number;
  last: () => number;
  add: (entry: Entry) => void;
  /** In the order of positions. */
  entries: readonly Entry[];
  at: (position: number) => Entry | undefined;
  /** The snapshot version after a position; below the first position, the one before it. */
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
