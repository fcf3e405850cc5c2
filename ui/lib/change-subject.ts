// What a change was made to, by the events that it left: the name that they say, or the kind and the number of the record.

import { placeOfStream, streamWords } from './history.ts';

type Change = Readonly<{ id: number; first_position: number }>;
type Event = Readonly<{ position: number; stream: string; data: unknown }>;

export type Subject = Readonly<{
  words: string;
  /** Where it is shown. */
  screen: string;
  rest: readonly string[];
}>;

/** The first record that a change is about; null where no screen shows one, or its events are not among these. */
export function subjectOf(
  { id, first_position }: Change,
  events: readonly Event[],
): Subject | null {
  const own = events
    .filter(({ position }) => position >= first_position && position <= id)
    .toSorted((one, other) => one.position - other.position);
  for (const { stream, data } of own) {
    const place = placeOfStream(stream);
    if (place !== null) return { words: nameIn(data) ?? streamWords(stream), ...place };
  }
  return null;
}

/** Creations and new names say it; a name that its owner can have erased is not in the log as text. */
function nameIn(data: unknown): string | null {
  const details: unknown = Reflect.get(Object(data), 'details') ?? data;
  const name: unknown = Reflect.get(Object(details), 'name');
  const text: unknown = typeof name === 'string' ? name : Reflect.get(Object(name), 'text');
  return typeof text === 'string' && text !== '' ? text : null;
}
