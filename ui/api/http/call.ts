// Calls the admin API. If the session has ended, the call waits for a new sign-in and is repeated,
// because a call with status 401 had no effect.

import type { Method } from '../../../src/admin/http/route.ts';
import { settled } from '../../lib/page/store.ts';
import { asOf } from '../../state/as-of.ts';
import { apiBase } from '../../state/base.ts';
import { isOpen, session, sessionEnded } from '../../state/session.ts';
import { takesAsOf } from './as-of.ts';
import { ApiFailure, failureOf, unreachable } from './failure.ts';
import type { AnswerOf, BodyOf, ParamsOf, PathOf, QueryOf, RowOf } from './routes.ts';
import { transport } from './transport.ts';

export type Answered<Body> = Readonly<{
  body: Body;
  /** The snapshot version that contains the mutation. */
  snapshotVersion: number | null;
  /** For If-Match. */
  etag: string | null;
  headers: Headers;
}>;

/** Metadata of a mutation. */
export type Change = Readonly<{
  reason?: string | undefined;
  /** The loaded version. The server refuses the change if the record has another one. */
  version?: number | undefined;
  /** Makes a repeated call return the response of the first one. */
  onceKey?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The reason for saving without a required approval. Another person reviews the change later. */
  breakGlass?: string | undefined;
  /** Receives the request instead of sending it; there is no response. */
  preview?: ((request: Prepared) => void) | undefined;
}>;

export type Prepared = Readonly<{
  method: Method;
  /** From the root of the admin API, such as `/admin/roles`. */
  path: string;
  body: unknown;
  version: number | undefined;
}>;

type Input<M extends Method, Path extends string> = Readonly<{
  params?: ParamsOf<Path>;
  query?: QueryOf<M, Path>;
  body?: BodyOf<M, Path>;
}> &
  Change;

/** Rejects with an ApiFailure, or with the reason of the signal. */
export const call = <M extends Method, Path extends PathOf<M>>(
  method: M,
  path: Path,
  input: Input<M, Path> = {},
): Promise<Answered<AnswerOf<M, Path>>> => request(method, path, input);

/** Runs on confirmation with the metadata: the `run` of a save. */
export const calling =
  <M extends Method, Path extends PathOf<M>>(method: M, path: Path, input: Input<M, Path> = {}) =>
  (change: Change): Promise<Answered<AnswerOf<M, Path>>> =>
    request(method, path, { ...input, ...change });

type Asked = Change & Readonly<{ params?: unknown; query?: object; body?: unknown }>;

function request<Body>(method: Method, path: string, asked: Asked): Promise<Answered<Body>> {
  const { params, query, body, preview, ...change } = asked;
  const isConfiguration = method === 'GET' && takesAsOf(path);
  const url = addressOf(path, params, isConfiguration ? { as_of: asOf(), ...query } : query);
  if (preview !== undefined) {
    preview({ method, path: `/${url.slice(apiBase.length)}`, body, version: change.version });
    return new Promise(() => {});
  }
  return send(url, {
    method,
    headers: { ...changeHeaders(change), ...(body === undefined ? {} : jsonHeaders) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(change.signal === undefined ? {} : { signal: change.signal }),
  });
}

const pageRows = 1_000;

type Listed<Path extends PathOf<'GET'>> = Readonly<{
  signal?: AbortSignal | undefined;
  query?: QueryOf<'GET', Path>;
}>;

export async function list<Path extends PathOf<'GET'>>(
  path: Path,
  asked: Listed<Path> = {},
): Promise<readonly RowOf<Path>[]> {
  const rows: RowOf<Path>[] = [];
  for await (const page of pagesOf(path, asked)) rows.push(...page);
  return rows;
}

/** Loads a page only on demand. */
export async function* pagesOf<Path extends PathOf<'GET'>>(
  path: Path,
  { signal, query }: Listed<Path> = {},
): AsyncGenerator<readonly RowOf<Path>[], void, undefined> {
  const first = { ...(takesAsOf(path) ? { as_of: asOf() } : {}), ...query, limit: pageRows };
  let next: string | null = addressOf(path, {}, first);
  while (next !== null) {
    const { body, headers }: Answered<readonly RowOf<Path>[]> = await send(next, {
      method: 'GET',
      ...(signal === undefined ? {} : { signal }),
    });
    yield body;
    next = nextAddress(headers);
  }
}

/** RFC 8288. The server names a path from its own root. */
function nextAddress(headers: Headers): string | null {
  const target = nextTarget(headers);
  return target === null ? null : apiBase + target.replace(/^\//, '');
}

const nextTarget = (headers: Headers): string | null =>
  /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null;

/** Undefined after the last page. */
export const nextCursor = (headers: Headers): string | undefined =>
  new URLSearchParams(nextTarget(headers)?.split('?')[1]).get('after') ?? undefined;

const jsonHeaders = { 'content-type': 'application/json' };

/** Header values are bytes, which the server reads as UTF-8. */
const headerText = (text: string): string =>
  String.fromCharCode(...new TextEncoder().encode(text.replaceAll(/\s+/g, ' ').trim()));

const changeHeaders = ({
  reason,
  version,
  onceKey,
  breakGlass,
}: Change): Record<string, string> => ({
  ...(reason === undefined || reason === '' ? {} : { 'x-gw-reason': headerText(reason) }),
  ...(breakGlass === undefined ? {} : { 'x-gw-break-glass': headerText(breakGlass) }),
  ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
  ...(onceKey === undefined ? {} : { 'idempotency-key': onceKey }),
});

function addressOf(path: string, params: unknown, query: object | undefined): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(Reflect.get(Object(params), name))),
  );
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  ).toString();
  return `${apiBase}${filled.replace(/^\//, '')}${search === '' ? '' : `?${search}`}`;
}

type Opening<M extends Method, Path extends string> = Readonly<{
  query?: QueryOf<M, Path>;
  body?: BodyOf<M, Path>;
  /** The last event of a stream that the caller has. */
  lastEventId?: string;
  signal: AbortSignal;
}>;

/** For streams. */
export async function open<M extends Method, Path extends PathOf<M>>(
  method: M,
  path: Path,
  { query, body, lastEventId = '', signal }: Opening<M, Path>,
): Promise<Response> {
  const headers =
    lastEventId === '' ? jsonHeaders : { ...jsonHeaders, 'last-event-id': lastEventId };
  const init = { method, headers, body: JSON.stringify(body), signal };
  return sent(addressOf(path, {}, query), init);
}

async function send<Body>(url: string, init: RequestInit): Promise<Answered<Body>> {
  const response = await sent(url, init);
  const body: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  const version = response.headers.get('x-gw-snapshot-version');
  return {
    // The server validates every response against the schema of its route.
    body: body as Body,
    snapshotVersion: version === null ? null : Number(version),
    etag: response.headers.get('etag'),
    headers: response.headers,
  };
}

async function sent(url: string, init: RequestInit): Promise<Response> {
  try {
    return await sentOnce(url, init);
  } catch (error) {
    const isLogin = /\/login(?:\/link)?$/.test(url);
    const lapsed = error instanceof ApiFailure && error.status === 401 && !isLogin;
    if (!lapsed) throw error;
    sessionEnded();
    await settled(session, isOpen, init.signal ?? undefined);
    return sentOnce(url, init);
  }
}

async function sentOnce(url: string, init: RequestInit): Promise<Response> {
  const response = await transport
    .get()(url, init)
    .catch((error: unknown) => {
      init.signal?.throwIfAborted();
      throw unreachable(error);
    });
  if (response.ok) return response;
  throw failureOf(response, await response.json().catch(() => null));
}
