// Defines an event: its envelope, how a noun defines its events, and how stored data of any version
// is read.

import { z } from 'zod';

import type { ChangeKind } from '../src/lib/vocabulary.ts';

/** An event before it has a place in the log. `stream` is `<noun>-<id>`. */
export type NewEvent<Type extends string = string, Data = unknown> = Readonly<{
  stream: string;
  type: Type;
  data: Data;
}>;

/**
 * `data` is the schema of the current version. `past` holds the schemas of older versions, oldest
 * first, each with the pure function that converts its data to the next version. Stored bytes are
 * never rewritten. `touchesSnapshot` is true if the event makes a new snapshot version.
 */
export type EventDefinition = Readonly<{
  touchesSnapshot: boolean;
  /**
   * The kind of change for the approval policy, if it differs from that of the noun. Null needs no
   * approval.
   */
  change?: ChangeKind | null;
  /** The members of the data become fields of the entity, by their names in camel case. */
  sets?: true;
  data: z.ZodType;
  past?: readonly Readonly<{ data: z.ZodType; upcast: (older: unknown) => unknown }>[];
}>;

export type EventOf<Definitions extends Record<string, EventDefinition>> = {
  [Type in keyof Definitions & string]: NewEvent<Type, z.output<Definitions[Type]['data']>>;
}[keyof Definitions & string];

export const setter = <Shape extends z.ZodRawShape>(
  shape: Shape,
  facts: Partial<Pick<EventDefinition, 'touchesSnapshot' | 'change'>> = {},
) => ({ sets: true as const, touchesSnapshot: true, ...facts, data: z.object(shape) });

export type SetterType<Definitions> = {
  [Type in keyof Definitions]: Definitions[Type] extends { sets: true } ? Type : never;
}[keyof Definitions];

/** The time when a restored entity was first created; absent if this event created it. */
export const restoredAt = z.iso.datetime({ offset: true }).optional();

export const eventMetadata = z.object({
  actor: z.object({
    kind: z.enum(['session', 'api_key', 'admin_token', 'cli', 'agent', 'system']),
    principal_id: z.int().positive().nullable(),
    /** The admin token that authenticated the request; absent for other kinds of actor. */
    token_id: z.int().positive().optional(),
  }),
  /** For example `CreateProvider`. */
  command: z.string(),
  /** The action in the audit log: the HTTP method and path, or `CLI` and the command's name. */
  action: z.string(),
  target: z.string(),
  request_id: z.string(),
  /** The vault item with the actor's reason. */
  reason_ref: z.uuid().nullable(),
  /** The position whose state this event restores; absent if it restores none. */
  causation: z.object({ position: z.int().nonnegative() }).optional(),
  app_version: z.string(),
  /** `index` counts from 0. */
  index: z.int().nonnegative(),
  count: z.int().positive(),
});
export type EventMetadata = z.output<typeof eventMetadata>;

/**
 * An event in the log, its data converted to the current version. `recordedAt` is epoch
 * milliseconds.
 */
export type Recorded<Event extends NewEvent = NewEvent> = Event &
  Readonly<{
    position: number;
    version: number;
    eventId: string;
    schema: number;
    txId: string;
    recordedAt: number;
    metadata: EventMetadata;
    /** The hash of the chain up to and including this event, 64 hex digits. */
    hash: string;
  }>;

export const currentSchema = (definition: EventDefinition): number =>
  (definition.past?.length ?? 0) + 1;

/**
 * Throws if data of this version does not match: an event that cannot be read must stop gw and must
 * never be skipped.
 */
export function upcast(definition: EventDefinition, schema: number, stored: unknown): unknown {
  const past = definition.past ?? [];
  if (schema < 1 || schema > past.length + 1) {
    throw new Error(`event schema version ${schema} is newer than this program knows`);
  }
  let data = stored;
  for (const step of past.slice(schema - 1)) data = step.upcast(step.data.parse(data));
  return definition.data.parse(data);
}
