// Lists every event type by noun. A stream `<noun>-<id>` holds events of its noun, and NoChange.

import { z } from 'zod';

import { agentDetails, agentEvents } from './a2a-agent.ts';
import { adminTokenEvents } from './admin-token.ts';
import { apiKeyEvents } from './api-key.ts';
import { changeRequestEvents } from './change-request.ts';
import { currentSchema, upcast } from './event.ts';
import type { EventDefinition, EventOf, Recorded, SetterType } from './event.ts';
import { frontendModelEvents } from './frontend-model.ts';
import { mcpServerDetails, mcpServerEvents } from './mcp-server.ts';
import { modelEvents } from './model.ts';
import { isNoun } from './nouns.ts';
import type { Noun, RemoteNoun } from './nouns.ts';
import { poolEvents } from './pool.ts';
import { principalEvents } from './principal.ts';
import { promptClassEvents } from './prompt-class.ts';
import { providerEvents } from './provider.ts';
import { remote } from './remote.ts';
import { roleEvents } from './role.ts';
import { settingsEvents } from './settings.ts';
import { webhookEndpointEvents } from './webhook-endpoint.ts';

/** A mutation without changes still records an event, so that the audit log shows it. */
const commonEvents = {
  NoChange: { touchesSnapshot: false, change: null, data: z.object({}) },
} as const satisfies Record<string, EventDefinition>;

export const eventsByNoun = {
  principal: principalEvents,
  role: roleEvents,
  api_key: apiKeyEvents,
  admin_token: adminTokenEvents,
  provider: providerEvents,
  model: modelEvents,
  frontend_model: frontendModelEvents,
  pool: poolEvents,
  prompt_class: promptClassEvents,
  mcp_server: mcpServerEvents,
  agent: agentEvents,
  webhook_endpoint: webhookEndpointEvents,
  settings: settingsEvents,
  change_request: changeRequestEvents,
} as const satisfies Record<Noun, Record<string, EventDefinition>>;

/** By noun. */
export const remoteDetails = {
  mcp_server: mcpServerDetails,
  agent: agentDetails,
} as const satisfies Record<RemoteNoun, typeof remote>;

export type RemoteDetails = {
  readonly [N in RemoteNoun]: z.output<(typeof remoteDetails)[N]>;
};

export const ownFieldsOf = (noun: RemoteNoun): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(remoteDetails[noun].shape).filter(([field]) => !(field in remote.shape)),
  );

type NameIn<Type> = Type extends `${infer Name}Created` ? Name : never;

/** The common part of event and command names, such as `McpServer`. */
export type RemoteNames = { readonly [N in RemoteNoun]: NameIn<keyof EventsByNoun[N]> };
export const remoteName = (noun: RemoteNoun): string =>
  creatorOf(noun).type.slice(0, -'Created'.length);

export const catalogue: Readonly<Record<string, EventDefinition>> = Object.assign(
  {},
  ...Object.values(eventsByNoun),
  commonEvents,
);

export type EventsByNoun = typeof eventsByNoun;
export type NounEvent = { [N in Noun]: EventOf<EventsByNoun[N]> }[Noun];
export type GwEvent = NounEvent | EventOf<typeof commonEvents>;
export type RecordedEvent = Recorded<GwEvent>;
/** The parts that a fold needs. */
export type FoldedEvent = GwEvent & Pick<Recorded, 'position' | 'version' | 'recordedAt' | 'hash'>;

export function definitionOf(type: string): EventDefinition {
  const definition = Object.hasOwn(catalogue, type) ? catalogue[type] : undefined;
  if (definition === undefined) throw new Error(`event type ${type} is newer than this program`);
  return definition;
}

type SetterOf = { [N in Noun]: SetterType<EventsByNoun[N]> }[Noun];

/** True if the event only sets fields. */
export const isSetter = <Event extends GwEvent>(
  event: Event,
): event is Extract<Event, { type: SetterOf }> => catalogue[event.type]?.sets === true;

/** With the names of their fields. */
export const settersOf = (noun: Noun): readonly Setter[] =>
  Object.entries<EventDefinition>(eventsByNoun[noun]).flatMap(([type, { sets, data }]) =>
    sets === true && data instanceof z.ZodObject ? [{ type, ...namesIn(data) }] : [],
  );
type Setter = Readonly<{
  type: string;
  names: readonly string[];
  /** The names that data may omit. */
  optional: ReadonlySet<string>;
}>;

function namesIn({ shape }: z.ZodObject): Omit<Setter, 'type'> {
  const fields = Object.entries(shape).filter(([name]) => name !== 'id');
  const optional = fields.filter(([, schema]) => schema instanceof z.ZodOptional);
  return { names: fields.map(([name]) => name), optional: new Set(optional.map(([name]) => name)) };
}

/** With the names of its data. */
export function creatorOf(noun: Noun): Pick<Setter, 'type' | 'names'> {
  const [found] = Object.entries<EventDefinition>(eventsByNoun[noun]).flatMap(([type, { data }]) =>
    type.endsWith('Created') && data instanceof z.ZodObject
      ? [{ type, names: Object.keys(data.shape) }]
      : [],
  );
  if (found === undefined) throw new Error(`no event creates an entity of ${noun}`);
  return found;
}

export const schemaOf = (type: string): number => currentSchema(definitionOf(type));
export const touchesSnapshot = (type: string): boolean => definitionOf(type).touchesSnapshot;

/** Throws if the type is unknown or the data does not match its schema. */
export function readEvent(stored: {
  stream: string;
  type: string;
  schema: number;
  data: unknown;
}): GwEvent {
  const data = upcast(definitionOf(stored.type), stored.schema, stored.data);
  const event = { stream: stored.stream, type: stored.type, data };
  if (!isKnown(event)) throw new Error(`event type ${stored.type} is newer than this program`);
  return event;
}

/** The data has just passed the schema of its type, so only the type needs a check. */
const isKnown = (event: { stream: string; type: string; data: unknown }): event is GwEvent =>
  Object.hasOwn(catalogue, event.type);

export type StreamAddress = Readonly<{ noun: Noun; id: number }>;

/** Throws for any name that `streamOf` would not write, so that each entity has one stream. */
export function parseStream(stream: string): StreamAddress {
  const dash = stream.indexOf('-');
  const noun = stream.slice(0, dash);
  const id = Number(stream.slice(dash + 1));
  if (!isNoun(noun) || !Number.isSafeInteger(id) || id < 1 || stream !== streamOf(noun, id)) {
    throw new Error(`stream ${stream} is not a noun and an id`);
  }
  return { noun, id };
}

export const streamOf = (noun: Noun, id: number): string => `${noun}-${id}`;
