// Finds the entity that a path addresses, and its version, which is the number of events in its
// stream. Checks If-Match (412 if stale), and returns the version as ETag and as `version` in lists
// (RFC 9110, sections 8.8.3 and 13.1.1).

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

/** Null if the path parameter addresses no entity. */
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

/** The frontend model that contains a rule or a target. */
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

/** Paths below these belong to the same entity. */
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

/** Paths below these change the configuration as a whole. Their version is the snapshot version. */
const wholePaths: readonly string[] = [
  '/admin/snapshots/{version}/restore',
  '/admin/change-sets/apply',
];

/**
 * The entity path at the start of a route's path. Null if the route addresses no existing entity.
 */
export function entityPathOf(path: string): string | null {
  const holds = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  return [...wholePaths, ...Object.keys(entityPaths)].find(holds) ?? null;
}

type Asked = Readonly<{
  path: string;
  params: unknown;
  ifMatch: string | undefined;
  showsVersion: boolean;
}>;

/** Refuses a malformed If-Match, and If-Match on a path without an entity. */
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
    // After a rename, the old name no longer finds the entity. Its id does.
    located.id = addressed.locate(state, parameter) ?? located.id;
    return versionOf(state, addressed.noun, located.id);
  });
}

/** For calls that do not come from an HTTP request. */
export const noEntity: AddressedEntity = {
  unmet: () => null,
  etag: () => ({}),
  showing: (body, headers) => ({ headers, body }),
};

/** `versionIn` returns null if the entity does not exist. */
function matching(
  asked: Asked,
  expected: Expected | null,
  versionIn: (state: ConfigState) => number | null,
): AddressedEntity {
  return {
    unmet: (state) => {
      const version = versionIn(state);
      // The decision rules refuse a missing entity.
      if (expected === null || expected === 'any' || version === null) return null;
      return expected.includes(version) ? null : stale(version);
    },
    etag: (state) => etagOf(versionIn(state)),
    showing: showing(asked),
  };
}

/** For list paths: a POST creates the entity, which its record identifies. */
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

/** Takes the version from the ETag, so that body and header agree. */
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

/** Settings always exist. */
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

/** Weak tags never match. */
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

/** `field` identifies the entity of a record. */
type EntityList = Addressed & Readonly<{ field: string }>;

/** Lists whose path is not the prefix of their entities' path. */
const otherLists: Readonly<Record<string, EntityList>> = {
  '/admin/limits': { ...byId('principal'), field: 'principal_id' },
  '/admin/budgets': { ...byId('principal'), field: 'principal_id' },
};

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
 * Adds the version to each record of a list. `state` must be older than the records: a version that
 * is too old refuses a valid edit, but one that is too new would let an edit overwrite another.
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

/** True if the route returns a record of the addressed or created entity. */
export const showsVersion = ({ response }: Pick<Route, 'response'>): boolean =>
  response instanceof z.ZodObject &&
  'version' in response.shape &&
  response.shape['version'] === versionField;

/**
 * Adds `version` to the response schemas of entity records, alone and in lists. Parts of an entity,
 * such as rules, and single settings have only an ETag.
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

/** If-Match takes it in quotes. */
const versionField = z.int().nonnegative();
