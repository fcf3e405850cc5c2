// An API server of a cluster: it answers list documents page by page to the token of the day, allows what a role allows, and keeps
// what was asked. Behaviour as in kubernetes.io/docs/reference/using-api/api-concepts.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import type { ClusterPlace } from '../../src/kubernetes/in-cluster.ts';

const fixture = (...names: readonly string[]): string =>
  readFileSync(path.join(import.meta.dirname, '../fixtures', ...names), 'utf8');

const listDocument = z.looseObject({
  kind: z.string(),
  metadata: z.object({ resourceVersion: z.string() }),
  items: z.array(z.looseObject({ status: z.looseObject({ phase: z.string().optional() }) })),
});
export type ListDocument = z.output<typeof listDocument>;

/** As a cluster of two nodes answers them. */
export const recordedList = (resource: string): ListDocument =>
  listDocument.parse(JSON.parse(fixture('kubernetes', `${resource}.json`)));

export type Call = Readonly<{ group: string; resource: string; verb: string }>;

/** Asked with this token; `path` with its query. */
export type AskedOfCluster = Call & Readonly<{ path: string; token: string; status: number }>;

export type ClusterApi = Readonly<{
  place: ClusterPlace;
  asked: AskedOfCluster[];
  lists: Record<string, ListDocument>;
  /** Items of a page, however many more were asked for. */
  setPageItems: (count: number) => void;
  /** The next calls that go on with a list are told that it expired. */
  expireNext: (count: number) => void;
  /** Gives out another token, and takes no other from now on. */
  setToken: (token: string) => Promise<void>;
  /** Every call is answered with this status; null as it should be. */
  setBroken: (status: number | null) => void;
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
  const state = { token: '', pageItems: 500, expiring: 0, broken: null as number | null };
  const lists: Record<string, ListDocument> = {};
  for (const resource of ['services', 'pods', 'nodes']) lists[resource] = recordedList(resource);
  const asked: AskedOfCluster[] = [];

  const answer = (url: URL, call: Call, token: string): Readonly<[number, unknown]> => {
    if (state.broken !== null) return [state.broken, statusOf(state.broken, 'broken')];
    if (token !== state.token) return [401, statusOf(401, 'Unauthorized')];
    if (!allows(call)) {
      const { verb, resource } = call;
      const user = 'User "system:serviceaccount:gw:gw-agent"';
      const message = `${resource} is forbidden: ${user} cannot ${verb} resource "${resource}"`;
      return [403, statusOf(403, message)];
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

  const server = createServer(tls, (request, response) => {
    const url = new URL(request.url ?? '', 'https://cluster');
    const call = callOf(request.method ?? '', url);
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const [status, body] = answer(url, call, token);
    asked.push({ ...call, path: url.pathname + url.search, token, status });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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
  };
}

/** `/api/v1/<resource>` is of the core group, `/apis/<group>/<version>/<resource>` of another; with a name it is no list. */
function callOf(method: string, url: URL): Call {
  const [root, ...rest] = url.pathname.split('/').slice(1);
  const group = root === 'api' ? '' : (rest.shift() ?? '');
  const [, resource = '', name] = rest;
  const read = name === undefined ? 'list' : 'get';
  const isWatch = url.searchParams.get('watch') === 'true';
  return { group, resource, verb: method === 'GET' ? (isWatch ? 'watch' : read) : method };
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
