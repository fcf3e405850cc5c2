// Which entity a path addresses, and its version: If-Match on the way in (412 when it is stale), ETag on the way out, `version` in
// lists. The version is that of the entity's stream: the number of its events (RFC 9110, sections 8.8.3 and 13.1.1).

import { z } from 'zod';

import { roleNamed } from '../../../projections/config/find.ts';
import { streamOf } from '../../../events/catalogue.ts';
import { allNouns } from '../../../events/nouns.ts';
import type { Noun } from '../../../events/nouns.ts';
import type { FrontendModel } from '../../../projections/config/frontend-model.ts';
import { streamVersion } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { none } from './route.ts';
import type { AddressedEntity, Route } from './route.ts';

/** The id of the entity that a path's parameter stands for; null when there is none. */
type Locate = (state: ConfigState, parameter: string) => number | null;
type Addressed = Readonly<{ noun: Noun; locate: Locate }>;

const byId = (noun: Noun): Addressed => ({
  noun,
  locate: (_state, parameter) => (/^[1-9]\d{0,14}$/.test(parameter) ? Number(parameter) : null),
});

const roleByName: Addressed = {
  noun: 'role',
  locate: (state, name) => roleNamed(state, name)?.id ?? null,
};

/** The frontend model that holds a rule or a target. */
const frontendModelWith = (holds: (model: FrontendModel, id: number) => boolean): Addressed => ({
  noun: 'frontend_model',
  locate: (state, parameter) =>
    [...state.frontend_model.byId.values()].find((model) => holds(model, Number(parameter)))?.id ??
    null,
});

const poolWithMember: Addressed = {
  noun: 'pool',
  locate: (state, parameter) =>
    [...state.pool.byId.values()].find(({ members }) => hasId(members, Number(parameter)))?.id ??
    null,
};

const hasId = (parts: readonly { id: number }[], id: number): boolean =>
  parts.some((part) => part.id === id);

const settings: Addressed = { noun: 'settings', locate: () => 1 };

/** What lies below one of these paths belongs to the entity of that path. */
export const entityPaths: Readonly<Record<string, Addressed>> = {
  ...Object.fromEntries(
    allNouns
      .filter(({ noun }) => noun !== 'role')
      .flatMap(({ noun, paths }) => paths.map((path) => [`/admin/${path}/{id}`, byId(noun)])),
  ),
  '/admin/roles/{name}': roleByName,
  '/admin/rules/{id}': frontendModelWith(({ rules }, id) => hasId(rules, id)),
  '/admin/rule-targets/{id}': frontendModelWith(({ rules }, id) =>
    rules.some(({ targets }) => hasId(targets, id)),
  ),
  '/admin/frontend-model-defaults/{id}': frontendModelWith(({ defaultTargets }, id) =>
    hasId(defaultTargets, id),
  ),
  '/admin/model-pool-members/{id}': poolWithMember,
  '/admin/fallback-model': settings,
  '/admin/change-policy': settings,
  '/admin/deployment': settings,
};

/** What is below these changes the configuration as a whole, whose version is that of the snapshot. */
const wholePaths: readonly string[] = [
  '/admin/snapshots/{version}/restore',
  '/admin/change-sets/apply',
];

/** The row for the path of a route; null when it addresses no entity that stands already. */
export function entityPathOf(path: string): string | null {
  const holds = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return [...wholePaths, ...Object.keys(entityPaths)].find(holds) ?? null;
}

type Asked = Readonly<{
  /** That of the route. */
  path: string;
  params: unknown;
  ifMatch: string | undefined;
  /** See below. */
  showsVersion: boolean;
}>;

/** Refuses an If-Match that cannot be read, or that stands where there is nothing to match. */
export function addressedEntity(asked: Asked): AddressedEntity | Refusal {
  const { path, params, ifMatch } = asked;
  const expected = ifMatch === undefined ? null : readIfMatch(ifMatch);
  if (isRefusal(expected)) return expected;
  const entityPath = entityPathOf(path);
  if (entityPath !== null && wholePaths.includes(entityPath)) {
    return matching(asked, expected, (state) => state.version);
  }
  const addressed = entityPath === null ? undefined : entityPaths[entityPath];
  if (entityPath === null || addressed === undefined) {
    return expected === null ? created(asked) : nothingToMatch;
  }
  const parameter = parameterOf(entityPath, params);
  const located: { id: number | null } = { id: null };
  return matching(asked, expected, (state) => {
    // A rename takes the name away by which it was found.
    located.id = addressed.locate(state, parameter) ?? located.id;
    return versionOf(state, addressed.noun, located.id);
  });
}

/** Of a call that is run without a request. */
export const noEntity: AddressedEntity = {
  unmet: () => null,
  etag: () => ({}),
  showing: (body, headers) => ({ headers, body }),
};

/** `versionIn` answers null for what is not there. */
function matching(
  asked: Asked,
  expected: Expected | null,
  versionIn: (state: ConfigState) => number | null,
): AddressedEntity {
  return {
    unmet: (state) => {
      const version = versionIn(state);
      // What is absent is refused as such by the rules.
      if (expected === null || expected === 'any' || version === null) return null;
      return expected.includes(version) ? null : stale(version);
    },
    etag: (state) => etagOf(versionIn(state)),
    showing: showing(asked),
  };
}

/** What a path of a list creates is known by its record. */
function created(asked: Asked): AddressedEntity {
  const list = listAt(asked.path);
  return {
    unmet: () => null,
    etag: (state, record) => etagOf(list === null ? null : versionOfRecord(state, list, record)),
    showing: showing(asked),
  };
}

const etagOf = (version: number | null): Readonly<Record<string, string>> =>
  version === null ? {} : { etag: `"${version}"` };

/** The version in the body is always that of the ETag. */
const showing =
  ({ showsVersion }: Asked): AddressedEntity['showing'] =>
  (body, headers) => {
    const { etag } = headers;
    if (!showsVersion || etag === undefined) return { headers, body };
    return { headers, body: { ...body, version: Number(etag.slice(1, -1)) } };
  };

function versionOf(state: ConfigState, noun: Noun, id: number | null): number | null {
  if (id === null || !stands(state, noun, id)) return null;
  return streamVersion(state, streamOf(noun, id));
}

/** The settings stand from the beginning. */
const stands = (state: ConfigState, noun: Noun, id: number): boolean =>
  noun === 'settings' || state[noun].byId.has(id);

const header = 'if-match';
const nothingToMatch = refuse('invalid', `${header}: this path addresses no entity`, {
  param: header,
});

const stale = (version: number): Refusal =>
  refuse('stale', `${header} names another version, the current one is "${version}"`, {
    param: header,
  });

type Expected = 'any' | readonly number[];

/** A weak tag never matches. */
function readIfMatch(text: string): Expected | Refusal {
  if (text.trim() === '*') return 'any';
  const tags = text.split(',').map((tag) => /^(W\/)?"([^"]*)"$/.exec(tag.trim()));
  if (tags.some((tag) => tag === null)) {
    return refuse('invalid', `${header}: must be * or versions in quotes, such as "7"`, {
      param: header,
    });
  }
  return tags.flatMap((tag) => (tag?.[1] === undefined ? [Number(tag?.[2])] : []));
}

function parameterOf(entityPath: string, params: unknown): string {
  const [, name] = /\{(\w+)\}$/.exec(entityPath) ?? [];
  if (name === undefined || typeof params !== 'object' || params === null) return '';
  return String(Reflect.get(params, name));
}

/** A list of records of entities: which entity a record is of, by which of its fields. */
type EntityList = Addressed & Readonly<{ field: string }>;

/** Those that are not at the path of their entities. */
const otherLists: Readonly<Record<string, EntityList>> = {
  '/admin/limits': { ...byId('principal'), field: 'principal_id' },
  '/admin/budgets': { ...byId('principal'), field: 'principal_id' },
};

/** Null when the path is no list of entities. */
function listAt(path: string): EntityList | null {
  const entityPath = Object.keys(entityPaths).find(
    (one) => one.startsWith(path) && /^\/\{\w+\}$/.test(one.slice(path.length)),
  );
  const addressed = entityPath === undefined ? undefined : entityPaths[entityPath];
  if (entityPath === undefined || addressed === undefined) return otherLists[path] ?? null;
  return { ...addressed, field: entityPath.slice(path.length + 2, -1) };
}

function versionOfRecord(state: ConfigState, list: EntityList, record: unknown): number | null {
  if (typeof record !== 'object' || record === null) return null;
  const id = list.locate(state, String(Reflect.get(record, list.field)));
  return versionOf(state, list.noun, id);
}

/**
 * Adds its version to each record of a list of entities. `state` is one from before the records were read: a version that is too
 * old refuses an edit that could be made, one that is too new would let an edit undo another.
 */
export function withVersions<Row>(
  records: readonly Row[],
  { path, state }: Readonly<{ path: string; state: ConfigState }>,
): Row[] {
  const list = listAt(path);
  if (list === null) return [...records];
  return records.map((record) => ({
    ...record,
    version: versionOfRecord(state, list, record) ?? 0,
  }));
}

/** Whether the route answers a record of the entity that it addresses or creates, with its version. */
export const showsVersion = ({ response }: Pick<Route, 'response'>): boolean =>
  response instanceof z.ZodObject &&
  'version' in response.shape &&
  response.shape['version'] === versionField;

/**
 * The routes as they answer: each record of an entity says its version, alone and in a list. A part of an entity, such as a rule, and a
 * single setting say it by their ETag alone.
 */
export function showingVersions<One extends Route>(routes: readonly One[]): readonly One[] {
  const lists = routes.filter(({ method, path }) => method === 'GET' && listAt(path) !== null);
  const paths = new Set(lists.map(({ path }) => path));
  const records = new Set(
    lists.map(({ response }) => (response instanceof z.ZodArray ? response.element : response)),
  );
  const isWhole = ({ method, path, response }: One): boolean =>
    records.has(response) ||
    (method === 'POST' && paths.has(path)) ||
    (method !== 'DELETE' && path in entityPaths && paths.has(path.replace(/\/\{\w+\}$/, '')));
  return routes.map((route) => {
    const { response } = route;
    if (lists.includes(route)) return { ...route, response: versionedList(response) };
    if (!isWhole(route) || !(response instanceof z.ZodObject) || response === none) return route;
    return { ...route, response: withVersion(response) };
  });
}

const versionedList = (response: z.ZodType): z.ZodType =>
  response instanceof z.ZodArray && response.element instanceof z.ZodObject
    ? z.array(withVersion(response.element))
    : response;

const withVersion = (record: z.ZodObject) => record.extend({ version: versionField });

/** The number of the entity's events; what If-Match takes, in quotes. */
const versionField = z.int().nonnegative();
