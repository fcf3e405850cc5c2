// Simulates a Kubernetes API server: paged lists, namespaced objects, role permissions and a bearer
// token that rotates. Records every request. See
// kubernetes.io/docs/reference/using-api/api-concepts.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import type { ClusterPlace } from '../../../src/kubernetes/in-cluster.ts';
import { createClusterStore } from './cluster-store.ts';
import type { ClusterStore } from './cluster-store.ts';

const fixture = (...names: readonly string[]): string =>
  readFileSync(path.join(import.meta.dirname, '../../fixtures', ...names), 'utf8');

const listDocument = z.looseObject({
  kind: z.string(),
  metadata: z.object({ resourceVersion: z.string() }),
  items: z.array(z.looseObject({ status: z.looseObject({ phase: z.string().optional() }) })),
});
export type ListDocument = z.output<typeof listDocument>;

/** The list that a cluster of two nodes returned. */
export const recordedList = (resource: string): ListDocument =>
  listDocument.parse(JSON.parse(fixture('kubernetes', `${resource}.json`)));

/** `resource` includes the subresource, such as deployments/status. */
export type Call = Readonly<{ group: string; resource: string; verb: string }>;

/** `path` includes the query; `token` is the bearer token. */
export type ClusterRequest = Call & Readonly<{ path: string; token: string; status: number }>;

export type ClusterApi = Readonly<{
  place: ClusterPlace;
  asked: ClusterRequest[];
  lists: Record<string, ListDocument>;
  /** Sets the number of items per page, regardless of the requested limit. */
  setPageItems: (count: number) => void;
  /** Answers the next `count` list continuations with "expired". */
  expireNext: (count: number) => void;
  /** Issues a new token and rejects all others. */
  setToken: (token: string) => Promise<void>;
  /** Answers every call with this status; null restores normal answers. */
  setBroken: (status: number | null) => void;
  /** The namespaced objects. */
  store: ClusterStore;
  /** Calls the listener after each write, except to a Lease, and before the response. */
  onWrite: (listener: (write: ClusterRequest) => void) => void;
  /** Ends every watch, as a watch timeout does. */
  endWatches: () => void;
  /** While away, closes every connection without a response. */
  setAway: (isAway: boolean) => void;
}>;

type Options = Readonly<{ allows?: (call: Call) => boolean }>;

export async function startClusterApi(
  test: Pick<TestContext, 'after'>,
  { allows = () => true }: Options = {},
): Promise<ClusterApi> {
  const accountDirectory = await mkdtemp(path.join(os.tmpdir(), 'gw-cluster-'));
  test.after(() => rm(accountDirectory, { recursive: true }));
  const tls = { cert: fixture('tls', 'cert.pem'), key: fixture('tls', 'key.pem') };
  await writeFile(path.join(accountDirectory, 'ca.crt'), tls.cert);
  const state = {
    token: '',
    pageItems: 500,
    expiring: 0,
    broken: null as number | null,
    isAway: false,
    onWrite: (_write: ClusterRequest): void => undefined,
  };
  const store = createClusterStore();
  const watches = new Set<ServerResponse>();
  const lists: Record<string, ListDocument> = {};
  for (const resource of ['services', 'pods', 'nodes']) lists[resource] = recordedList(resource);
  const asked: ClusterRequest[] = [];

  const answer = (asked: Asked): readonly [number, unknown] => {
    const { url, call, token } = asked;
    if (state.broken !== null) return [state.broken, statusOf(state.broken, 'broken')];
    if (token !== state.token) return [401, statusOf(401, 'Unauthorized')];
    if (!allows(call)) {
      const { verb, resource } = call;
      const user = 'User "system:serviceaccount:gw:gw-agent"';
      const message = `${resource} is forbidden: ${user} cannot ${verb} resource "${resource}"`;
      return [403, statusOf(403, message)];
    }
    if (url.pathname.includes('/namespaces/')) {
      const { pathname: path, searchParams: query } = url;
      return store.handle({ ...asked, path, query });
    }
    const list = lists[call.resource];
    if (list === undefined) return [404, statusOf(404, 'the server could not find the resource')];
    const next = url.searchParams.get('continue');
    if (next !== null && state.expiring > 0) {
      state.expiring -= 1;
      return [410, statusOf(410, 'The provided continue parameter is too old')];
    }
    return [200, pageOf(list, url.searchParams, state.pageItems)];
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (state.isAway) return void request.socket.destroy();
    const url = new URL(request.url ?? '', 'https://cluster');
    const { method = '', headers } = request;
    const call = callOf(method, url);
    const token = (headers.authorization ?? '').replace(/^Bearer /, '');
    const mediaType = headers['content-type'] ?? '';
    const given: unknown = body === '' ? undefined : JSON.parse(body);
    const [status, answered] = answer({ url, call, token, method, mediaType, body: given });
    const done = { ...call, path: url.pathname + url.search, token, status };
    asked.push(done);
    if (status === 200 && call.verb === 'watch') {
      watches.add(response);
      response.once('close', () => watches.delete(response));
      tellChanges(store, url, response);
      return;
    }
    const isWrite = method !== 'GET' && call.resource !== 'leases' && status < 300;
    if (isWrite) state.onWrite(done);
    if (state.isAway) return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answered));
  };
  const server = createServer(tls, (request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const setToken = async (token: string): Promise<void> => {
    state.token = token;
    await writeFile(path.join(accountDirectory, 'token'), `${token}\n`);
  };
  await setToken('token-of-the-first-hour');
  return {
    place: { url: `https://127.0.0.1:${port}`, accountDirectory },
    asked,
    lists,
    setPageItems: (count) => (state.pageItems = count),
    expireNext: (count) => (state.expiring = count),
    setToken,
    setBroken: (status) => (state.broken = status),
    store,
    onWrite: (listener) => (state.onWrite = listener),
    endWatches: () => {
      for (const watching of watches) watching.end();
    },
    setAway: (isAway) => {
      state.isAway = isAway;
      if (isAway) server.closeAllConnections();
    },
  };
}

type Asked = Readonly<{
  url: URL;
  call: Call;
  token: string;
  method: string;
  mediaType: string;
  body: unknown;
}>;

/**
 * `/api/v1/<resource>` belongs to the core group, `/apis/<group>/<version>/<resource>` to another.
 * A path that ends with a name is not a list.
 */
function callOf(method: string, url: URL): Call {
  const [root, ...rest] = url.pathname.split('/').slice(1);
  const group = root === 'api' ? '' : (rest.shift() ?? '');
  const [, ...below] = rest;
  const [plural = '', name, part] = below[0] === 'namespaces' ? below.slice(2) : below;
  const resource = part === undefined ? plural : `${plural}/${part}`;
  const read = name === undefined ? 'list' : 'get';
  const isWatch = url.searchParams.get('watch') === 'true';
  const verb = method === 'GET' ? (isWatch ? 'watch' : read) : verbOfWrite[method];
  return { group, resource, verb: verb ?? method };
}

const verbOfWrite: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Writes one change per line until the client disconnects. */
function tellChanges(store: ClusterStore, url: URL, response: ServerResponse): void {
  const line = (type: string, object: unknown): void =>
    void response.write(`${JSON.stringify({ type, object })}\n`);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const since = Number(url.searchParams.get('resourceVersion') ?? 0);
  const stop = store.watch(url.pathname, since, ({ type, object }) => line(type, object));
  if (stop === 'expired') {
    line('ERROR', statusOf(410, 'too old resource version'));
    response.end();
    return;
  }
  response.once('close', stop);
}

function pageOf(list: ListDocument, query: URLSearchParams, itemsMax: number): unknown {
  const phase = /^status\.phase=(\w+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
  const items = list.items.filter(({ status }) => phase === undefined || status.phase === phase);
  const from = Number(query.get('continue') ?? 0);
  const to = from + Math.min(itemsMax, Number(query.get('limit') ?? items.length));
  const more =
    to < items.length ? { continue: String(to), remainingItemCount: items.length - to } : {};
  const page = items.slice(from, to);
  return { ...list, metadata: { ...list.metadata, ...more }, items: page.length > 0 ? page : null };
}

const statusOf = (code: number, message: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason: code === 410 ? 'Expired' : 'Forbidden',
  code,
});
