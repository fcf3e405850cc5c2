// Calls the Kubernetes API over HTTPS (kubernetes.io/docs/reference/using-api) with the token and CA of the service account. Every call
// has a timeout and a maximum answer size.

import { Agent, request } from 'undici';

import { readAuthority, readToken } from './in-cluster.ts';
import type { ClusterPlace } from './in-cluster.ts';

/** `body` is undefined if it is not JSON. */
export type ClusterAnswer = Readonly<{ status: number; body: unknown }>;

/** `path` includes the query. The media type selects the kind of PATCH. */
export type ClusterWrite = Readonly<{
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  mediaType: 'application/json' | 'application/merge-patch+json' | 'application/apply-patch+yaml';
  body: unknown;
}>;

export type ClusterClient = Readonly<{
  /** `path` includes the query. Rejects if there is no answer. */
  get: (path: string, signal: AbortSignal) => Promise<ClusterAnswer>;
  send: (write: ClusterWrite, signal: AbortSignal) => Promise<ClusterAnswer>;
  /** Passes on each line of an endless answer as it arrives. Resolves at its end, or at once if the status is not 200. */
  follow: (
    path: string,
    onLine: (line: unknown) => void,
    signal: AbortSignal,
  ) => Promise<ClusterAnswer>;
}>;

const connectMs = 3_000;
const answerMs = 20_000;
/** A page of 500 pods takes about 5 MiB. */
const answerBytesMax = 64 * 1024 * 1024;
/** A watch ends by the timeout in its query. This limit catches servers that disappear silently. */
const silenceMs = 330_000;

/** Reads the CA for each piece of work, so that a new one takes effect. */
export async function withCluster<Value>(
  place: ClusterPlace,
  work: (client: ClusterClient) => Promise<Value>,
): Promise<Value> {
  const dispatcher = new Agent({
    connect: { ca: await readAuthority(place), timeout: connectMs },
    maxResponseSize: answerBytesMax,
  });
  const cluster = { place, dispatcher };
  try {
    return await work({
      get: (path, signal) => call(cluster, { method: 'GET', path }, signal),
      send: (write, signal) => call(cluster, write, signal),
      follow: (path, onLine, signal) => follow(cluster, { path, onLine }, signal),
    });
  } finally {
    await dispatcher.destroy();
  }
}

type Cluster = Readonly<{ place: ClusterPlace; dispatcher: Agent }>;
type Call = Readonly<{ method: 'GET'; path: string }> | ClusterWrite;

async function call(cluster: Cluster, call: Call, signal: AbortSignal): Promise<ClusterAnswer> {
  const written = call.method === 'GET' ? null : call;
  const answer = await request(cluster.place.url + call.path, {
    dispatcher: cluster.dispatcher,
    method: call.method,
    headers: {
      ...(await headersOf(cluster)),
      ...(written === null ? {} : { 'content-type': written.mediaType }),
    },
    body: written === null ? null : JSON.stringify(written.body),
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  });
  return { status: answer.statusCode, body: parseJson(await answer.body.text()) };
}

type Following = Readonly<{ path: string; onLine: (line: unknown) => void }>;

async function follow(
  cluster: Cluster,
  { path, onLine }: Following,
  signal: AbortSignal,
): Promise<ClusterAnswer> {
  const answer = await request(cluster.place.url + path, {
    dispatcher: cluster.dispatcher,
    headers: await headersOf(cluster),
    headersTimeout: answerMs,
    bodyTimeout: silenceMs,
    signal,
  });
  const { statusCode: status, body } = answer;
  if (status !== 200) return { status, body: parseJson(await body.text()) };
  for await (const line of linesOf(body)) onLine(parseJson(line));
  return { status, body: undefined };
}

/** Rejects if the connection breaks, which readline does not report. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const headersOf = async ({ place }: Cluster): Promise<Record<string, string>> => ({
  accept: 'application/json',
  authorization: `Bearer ${await readToken(place)}`,
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
