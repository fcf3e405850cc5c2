// Reads the filters of the log from the address and turns them into queries of the API. Ignores
// invalid values.

import { readEnds } from '../page/range.ts';
import { capital } from '../text/format.ts';

type Query = Readonly<Record<string, string>>;

/** Actors that are not principals. */
export const actorKinds = ['session', 'api_key', 'admin_token', 'cli', 'agent', 'system'] as const;
export type ActorKind = (typeof actorKinds)[number];

const kindWords: Readonly<Record<ActorKind, string>> = {
  session: 'Any signed-in user',
  api_key: 'Any API key',
  admin_token: 'Any admin token',
  cli: 'Command line',
  agent: 'Any agent',
  system: 'System',
};

export const actorKindWords = (kind: ActorKind): string => kindWords[kind];

/** Actions of the audit log: HTTP methods, and actions without an HTTP call. */
export const auditActions: readonly string[] = [
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'CLI',
  'SCHEDULE',
  'SWEEP',
  'ERASE',
  'SYSTEM',
];

/** Each list uses the filters that its endpoint supports. */
export const filterNames = [
  'actor',
  'target',
  'action',
  'command',
  'stream',
  'type',
  'request',
  'range',
] as const;
export type FilterName = (typeof filterNames)[number];

/** `update model` becomes `UpdateModel`, the form in the log. */
export const commandNameOf = (typed: string): string =>
  typed
    .trim()
    .split(/\s+/)
    .map((word) => capital(word))
    .join('');

type Actor = Readonly<{ id: number }> | Readonly<{ kind: ActorKind }> | null;

function actorOf(text: string): Actor {
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return { id };
  const kind = actorKinds.find((one) => one === text);
  return kind === undefined ? null : { kind };
}

const textOf = (query: Query, name: FilterName): string => query[name]?.trim() ?? '';

type Edges = Readonly<{ since?: string; until?: string }>;

function edgesOf(query: Query, now: number): Edges {
  const { since = null, until = null } = readEnds(query['range'] ?? '', now) ?? {};
  return {
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
  };
}

type Order = Readonly<{ order?: 'asc' }>;

export const orderOf = (query: Query): 'asc' | 'desc' =>
  query['order'] === 'asc' ? 'asc' : 'desc';

/** Newest first by default. */
const askedOrder = (query: Query): Order => (orderOf(query) === 'asc' ? { order: 'asc' } : {});

const withoutEmpty = <Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> => {
  const found: Partial<Record<Name, string>> = {};
  for (const name in texts) if (texts[name] !== '') found[name] = texts[name];
  return found;
};

export type AuditQuery = Edges &
  Order &
  Readonly<{ actor_id?: number; actor_kind?: ActorKind; target?: string; action?: string }>;

export function auditQueryOf(query: Query, now: number): AuditQuery {
  const actor = actorOf(textOf(query, 'actor'));
  return {
    ...(actor === null ? {} : 'id' in actor ? { actor_id: actor.id } : { actor_kind: actor.kind }),
    ...withoutEmpty({ target: textOf(query, 'target'), action: textOf(query, 'action') }),
    ...edgesOf(query, now),
    ...askedOrder(query),
  };
}

type Span = Order & Readonly<{ from?: string; to?: string }>;

export type HistoryQuery = Span &
  Readonly<{ stream?: string; actor?: number; actor_kind?: ActorKind; request_id?: string }>;

/** Versions support only these filters. */
export function spanQueryOf(query: Query, now: number): Span {
  const { since, until } = edgesOf(query, now);
  return {
    ...(since === undefined ? {} : { from: since }),
    ...(until === undefined ? {} : { to: until }),
    ...askedOrder(query),
  };
}

function historyQueryOf(query: Query, now: number): HistoryQuery {
  const actor = actorOf(textOf(query, 'actor'));
  return {
    ...(actor === null ? {} : 'id' in actor ? { actor: actor.id } : { actor_kind: actor.kind }),
    ...withoutEmpty({ stream: textOf(query, 'stream'), request_id: textOf(query, 'request') }),
    ...spanQueryOf(query, now),
  };
}

export const commandQueryOf = (
  query: Query,
  now: number,
): HistoryQuery & Readonly<{ command?: string }> => ({
  ...historyQueryOf(query, now),
  ...withoutEmpty({ command: commandNameOf(textOf(query, 'command')) }),
});

export const eventQueryOf = (
  query: Query,
  now: number,
): HistoryQuery & Readonly<{ type?: string }> => ({
  ...historyQueryOf(query, now),
  ...withoutEmpty({ type: commandNameOf(textOf(query, 'type')) }),
});

export const isUnfiltered = (query: Query): boolean =>
  filterNames.every((name) => textOf(query, name) === '');

/** A different query loads again. */
export const askedText = (query: Query): string =>
  JSON.stringify([...filterNames, 'order', 'state'].map((name) => query[name] ?? ''));
