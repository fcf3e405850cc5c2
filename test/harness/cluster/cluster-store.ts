// Stores the objects of a simulated Kubernetes API server. Implements create, replace, merge patch
// (RFC 7396), server-side apply, delete with garbage collection, and watch. Sets only the defaults
// that matter when written and stored objects are compared. See
// kubernetes.io/docs/reference/using-api.

import { createHash } from 'node:crypto';

import { canonicalJson } from '../../../src/lib/canonical-json.ts';
import { deploymentSpec } from '../../../src/kubernetes/gw-deployment.ts';

export type Json = { [name: string]: unknown };
export type StoreCall = Readonly<{
  method: string;
  /** The path without its query. */
  path: string;
  query: URLSearchParams;
  mediaType: string;
  body: unknown;
}>;
export type Change = Readonly<{ type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Json }>;
type LoggedChange = Change & Readonly<{ at: number; path: string }>;
type Listener = (change: LoggedChange) => void;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The member at this path; undefined if it does not exist. */
export const memberAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((held, name) => (isJson(held) ? held[name] : undefined), value);
const objectAt = (value: unknown, ...path: readonly string[]): Json => {
  const found = memberAt(value, ...path);
  return isJson(found) ? found : {};
};

export function createClusterStore() {
  const objects = new Map<string, Json>();
  /** The object that each field manager last applied. */
  const applied = new Map<string, Json>();
  const log: LoggedChange[] = [];
  const listeners = new Set<Listener>();
  const state = { version: 100, uids: 0, compacted: 0 };

  const tell = (type: Change['type'], path: string, object: Json): void => {
    const change = { type, at: state.version, path, object: structuredClone(object) };
    log.push(change);
    for (const listener of listeners) listener(change);
  };

  /** Writes an object. An equal object keeps its version. */
  const put = (path: string, next: Json): Json => {
    const held = objects.get(path);
    const metadata = { ...objectAt(next, 'metadata') };
    const generation = Number(memberAt(held, 'metadata', 'generation') ?? 0);
    const isChanged = canonicalJson(held?.['spec']) !== canonicalJson(next['spec']);
    metadata['uid'] = memberAt(held, 'metadata', 'uid') ?? `uid-${(state.uids += 1)}`;
    metadata['namespace'] = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    metadata['generation'] = held === undefined ? 1 : generation + (isChanged ? 1 : 0);
    metadata['resourceVersion'] = memberAt(held, 'metadata', 'resourceVersion');
    const written = { ...next, metadata };
    if (held !== undefined && canonicalJson(held) === canonicalJson(written)) return held;
    state.version += 1;
    metadata['resourceVersion'] = String(state.version);
    objects.set(path, written);
    tell(held === undefined ? 'ADDED' : 'MODIFIED', path, written);
    return written;
  };

  const remove = (path: string): void => {
    const held = objects.get(path);
    if (held === undefined) return;
    objects.delete(path);
    for (const key of applied.keys()) if (key.startsWith(`${path} `)) applied.delete(key);
    state.version += 1;
    tell('DELETED', path, held);
    const uid = memberAt(held, 'metadata', 'uid');
    for (const [other, object] of objects) {
      const owners = memberAt(object, 'metadata', 'ownerReferences');
      const isOwned = Array.isArray(owners) && owners.some((one) => memberAt(one, 'uid') === uid);
      if (isOwned) remove(other);
    }
  };

  const apply = (path: string, { query, body }: StoreCall): readonly [number, unknown] => {
    const held = objects.get(path);
    const key = `${path} ${query.get('fieldManager')}`;
    const given = structuredClone(toJson(body));
    const asked = memberAt(given, 'metadata', 'resourceVersion');
    if (asked !== undefined) {
      if (asked !== memberAt(held, 'metadata', 'resourceVersion')) return conflict(path);
      delete objectAt(given, 'metadata')['resourceVersion'];
    }
    const base = pruned(structuredClone(held ?? {}), applied.get(key) ?? {}, given);
    const merged = withDefaults(toJson(merge(base, given)));
    const unfit = refusalOf(path, merged);
    if (unfit !== null) return unfit;
    applied.set(key, given);
    return [held === undefined ? 201 : 200, put(path, merged)];
  };

  /**
   * A patch of the status subresource changes only the status; any other patch changes everything
   * else.
   */
  const patch = (call: StoreCall): readonly [number, unknown] => {
    const path = call.path.replace(/\/status$/, '');
    const isStatus = path !== call.path;
    if (call.mediaType.startsWith('application/apply-patch')) return apply(path, call);
    const held = objects.get(path);
    if (held === undefined) return absent(path);
    const asked = memberAt(call.body, 'metadata', 'resourceVersion');
    const isStale = asked !== undefined && asked !== memberAt(held, 'metadata', 'resourceVersion');
    if (isStale) return conflict(path);
    const merged = toJson(mergePatch(structuredClone(held), call.body));
    const next = isStatus
      ? { ...held, status: merged['status'] }
      : withDefaults({ ...merged, status: held['status'] });
    return refusalOf(path, next) ?? [200, put(path, next)];
  };

  const replace = (path: string, body: unknown): readonly [number, unknown] => {
    const held = objects.get(path);
    if (held === undefined) return absent(path);
    const asked = memberAt(body, 'metadata', 'resourceVersion');
    if (asked !== memberAt(held, 'metadata', 'resourceVersion')) return conflict(path);
    return [200, put(path, toJson(structuredClone(body)))];
  };

  const create = (collection: string, body: unknown): readonly [number, unknown] => {
    const path = `${collection}/${String(memberAt(body, 'metadata', 'name'))}`;
    if (objects.has(path)) return statusOf(409, 'AlreadyExists', `${path} already exists`);
    const next = withDefaults(toJson(structuredClone(body)));
    return refusalOf(path, next) ?? [201, put(path, next)];
  };

  const list = (collection: string): unknown => ({
    kind: 'List',
    metadata: { resourceVersion: String(state.version) },
    items: [...objects].filter(([path]) => isIn(path, collection)).map(([, object]) => object),
  });

  const get = (path: string): readonly [number, unknown] => {
    if (isCollection(path)) return [200, list(path)];
    const held = objects.get(path);
    return held === undefined ? absent(path) : [200, held];
  };

  return {
    objects,
    put,
    remove,
    /** Discards past changes. Clients that watch from an earlier version must list again. */
    compact: () => void (state.compacted = state.version),
    /** Returns the status and body. */
    handle: (call: StoreCall): readonly [number, unknown] => {
      switch (call.method) {
        case 'GET':
          return get(call.path);
        case 'POST':
          return create(call.path, call.body);
        case 'PUT':
          return replace(call.path, call.body);
        case 'PATCH':
          return patch(call);
        default: {
          if (!objects.has(call.path)) return absent(call.path);
          remove(call.path);
          return [200, { kind: 'Status', status: 'Success' }];
        }
      }
    },
    /**
     * Reports each change after `since`, or `expired` if those changes were discarded. Returns a
     * function that stops the watch.
     */
    watch: (collection: string, since: number, onChange: (change: Change) => void) => {
      if (since < state.compacted) return 'expired' as const;
      const listener = (change: LoggedChange): void => {
        if (change.at > since && isIn(change.path, collection)) onChange(change);
      };
      for (const change of log) listener(change);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
export type ClusterStore = ReturnType<typeof createClusterStore>;

const toJson = (value: unknown): Json => (isJson(value) ? value : {});
/** `/…/namespaces/<namespace>/<plural>` is a collection; with a name appended it is not. */
const isCollection = (path: string): boolean => /\/namespaces\/[^/]+\/[^/]+$/.test(path);
const isIn = (path: string, collection: string): boolean =>
  path.startsWith(`${collection}/`) && !path.slice(collection.length + 1).includes('/');

const statusOf = (code: number, reason: string, message: string): readonly [number, unknown] => [
  code,
  { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
];
const absent = (path: string) => statusOf(404, 'NotFound', `${path} not found`);
const conflict = (path: string) =>
  statusOf(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${path}: the object has been modified`,
  );

/** Validates the custom resource: returns the errors of its schema and its rules. */
function refusalOf(path: string, object: Json): readonly [number, unknown] | null {
  if (!path.includes('/gwdeployments/')) return null;
  const read = deploymentSpec.safeParse(object['spec']);
  const name = String(memberAt(object, 'metadata', 'name'));
  const invalid = (what: string) =>
    statusOf(422, 'Invalid', `GwDeployment.gw.io "${name}" is invalid: ${what}`);
  if (!read.success) {
    const [issue] = read.error.issues;
    return invalid(`spec.${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { minReplicas, maxReplicas } = read.data.proxy.autoscaling;
  return maxReplicas < minReplicas
    ? invalid('spec.proxy.autoscaling: maxReplicas must be at least minReplicas')
    : null;
}

function withDefaults(object: Json): Json {
  switch (object['kind']) {
    case 'GwDeployment': {
      const read = deploymentSpec.safeParse(object['spec']);
      return read.success ? { ...object, spec: read.data } : object;
    }
    case 'Deployment': {
      const spec = { replicas: 1, revisionHistoryLimit: 10, ...objectAt(object, 'spec') };
      for (const container of containersOf(spec)) {
        container['terminationMessagePath'] ??= '/dev/termination-log';
      }
      return { ...object, spec };
    }
    case 'Service': {
      const address = createHash('sha256').update(canonicalJson(object['metadata'])).digest()[0];
      const fresh = { clusterIP: `10.96.0.${address}`, sessionAffinity: 'None' };
      return { ...object, spec: { ...fresh, ...objectAt(object, 'spec') } };
    }
    default:
      return object;
  }
}

const containersOf = (spec: Json): readonly Json[] => {
  const found = memberAt(spec, 'template', 'spec', 'containers');
  return Array.isArray(found) ? found.filter(isJson) : [];
};

function mergePatch(held: unknown, patch: unknown): unknown {
  if (!isJson(patch)) return patch;
  const into: Json = isJson(held) ? held : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete into[name];
    else into[name] = mergePatch(into[name], value);
  }
  return into;
}

const nameOf = (value: unknown): unknown => memberAt(value, 'name');
const isKeyed = (value: unknown): value is readonly Json[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => nameOf(one) !== undefined);

function merge(held: unknown, given: unknown): unknown {
  if (isJson(given)) {
    const into: Json = isJson(held) ? held : {};
    for (const [name, value] of Object.entries(given)) into[name] = merge(into[name], value);
    return into;
  }
  if (!isKeyed(given) || !isKeyed(held)) return given;
  const others = held.filter((one) => !given.some((other) => nameOf(other) === nameOf(one)));
  const own = given.map((one) =>
    merge(
      held.find((other) => nameOf(other) === nameOf(one)),
      one,
    ),
  );
  return [...own, ...others];
}

/** Removes the fields that the manager applied before but no longer applies. */
function pruned(held: Json, before: Json, now: Json): Json {
  for (const [name, value] of Object.entries(before)) {
    const [next, kept] = [now[name], held[name]];
    if (next === undefined) delete held[name];
    else if (isJson(value) && isJson(next) && isJson(kept)) pruned(kept, value, next);
    else if (isKeyed(value) && isKeyed(next) && isKeyed(kept)) {
      const gone = (one: Json): boolean =>
        value.some((other) => nameOf(other) === nameOf(one)) &&
        !next.some((other) => nameOf(other) === nameOf(one));
      held[name] = kept.filter((one) => !gone(one));
      for (const one of kept) {
        const was = value.find((other) => nameOf(other) === nameOf(one));
        const is = next.find((other) => nameOf(other) === nameOf(one));
        if (was !== undefined && is !== undefined) pruned(one, was, is);
      }
    }
  }
  return held;
}
