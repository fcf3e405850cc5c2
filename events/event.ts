// An event: its envelope, how a noun defines its events, and how stored data of any version is read.

import { z } from 'zod';

import type { ChangeKind } from '../src/lib/vocabulary.ts';

/** What happened, before it has a place in the log. `stream` is `<noun>-<id>`. */
export type NewEvent<Type extends string = string, Data = unknown> = Readonly<{
  stream: string;
  type: Type;
  data: Data;
}>;

/**
 * One event type. `data` is the schema of the current version; `past` holds the schemas of older versions, oldest first,
 * each with the pure function that lifts its data to the next version. Stored bytes are never rewritten.
 * `touchesSnapshot` says whether the event makes a new snapshot version.
 */
export type EventDefinition = Readonly<{
  touchesSnapshot: boolean;
  /** The kind of change for the approval policy, where it is not that of the noun. Null needs no approval. */
  change?: ChangeKind | null;
  /** The entity takes the members of the data as its fields, by their names in camel case. */
  sets?: true;
  data: z.ZodType;
  past?: readonly Readonly<{ data: z.ZodType; upcast: (older: unknown) => unknown }>[];
}>;

/** The union of the events that a noun defines. */
export type EventOf<Definitions extends Record<string, EventDefinition>> = {
  [Type in keyof Definitions & string]: NewEvent<Type, z.output<Definitions[Type]['data']>>;
}[keyof Definitions & string];

/** An event type that does nothing but set fields. */
export const setter = <Shape extends z.ZodRawShape>(
  shape: Shape,
  facts: Partial<Pick<EventDefinition, 'touchesSnapshot' | 'change'>> = {},
) => ({ sets: true as const, touchesSnapshot: true, ...facts, data: z.object(shape) });

/** The types of the events that do nothing but set fields. */
export type SetterType<Definitions> = {
  [Type in keyof Definitions]: Definitions[Type] extends { sets: true } ? Type : never;
}[keyof Definitions];

/** When what is restored was made first; absent, the event is its making. */
export const restoredAt = z.iso.datetime({ offset: true }).optional();

export const eventMetadata = z.object({
  actor: z.object({
    kind: z.enum(['session', 'api_key', 'admin_token', 'cli', 'agent', 'system']),
    principal_id: z.int().positive().nullable(),
    /** The admin token that authenticated the request; absent for every other kind. */
    token_id: z.int().positive().optional(),
  }),
  /** The command that decided this event, for example `CreateProvider`. */
  command: z.string(),
  /** What the audit row says: the HTTP method and path, or `CLI` and the command's name. */
  action: z.string(),
  target: z.string(),
  request_id: z.string(),
  /** The vault item that holds the reason given by the actor. */
  reason_ref: z.uuid().nullable(),
  /** The position of the log whose state this event brings back; absent where it brings back none. */
  causation: z.object({ position: z.int().nonnegative() }).optional(),
  app_version: z.string(),
  /** The event's place in its command: `index` from 0, `count` events in all. */
  index: z.int().nonnegative(),
  count: z.int().positive(),
});
export type EventMetadata = z.output<typeof eventMetadata>;

/** An event as the log holds it, its data lifted to the current version. `recordedAt` is epoch milliseconds. */
export type Recorded<Event extends NewEvent = NewEvent> = Event &
  Readonly<{
    position: number;
    version: number;
    eventId: string;
    schema: number;
    txId: string;
    recordedAt: number;
    metadata: EventMetadata;
    /** The hash of the chain up to and with this event, 64 hex digits. */
    hash: string;
  }>;

export const currentSchema = (definition: EventDefinition): number =>
  (definition.past?.length ?? 0) + 1;

/** Reads data that was stored at version `schema`. Throws when it does not fit: a log that cannot be read must stop, never skip. */
export function upcast(definition: EventDefinition, schema: number, stored: unknown): unknown {
  const past = definition.past ?? [];
  if (schema < 1 || schema > past.length + 1) {
    throw new Error(`event schema version ${schema} is newer than this program knows`);
  }
  let data = stored;
  for (const step of past.slice(schema - 1)) data = step.upcast(step.data.parse(data));
  return definition.data.parse(data);
}
