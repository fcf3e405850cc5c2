// Calls the API server of the cluster by plain HTTPS (kubernetes.io/docs/reference/using-api), with the token and the authority of the
// service account. Every call has a time limit and a bound on the answer.

import { Agent, request } from 'undici';

import { readAuthority, readToken } from './in-cluster.ts';
import type { ClusterPlace } from './in-cluster.ts';

/** `body` is the answer's JSON; undefined when it is none. */
export type ClusterAnswer = Readonly<{ status: number; body: unknown }>;

export type ClusterClient = Readonly<{
  /** `path` with its query. Rejects when there is no answer. */
  get: (path: string, signal: AbortSignal) => Promise<ClusterAnswer>;
}>;

const connectMs = 3_000;
const answerMs = 20_000;
/** A page of 500 pods takes about 5 MiB. */
const answerBytesMax = 64 * 1024 * 1024;

/** The authority is read once for each piece of work, so that a new one counts from the next on. */
export async function withCluster<Value>(
  place: ClusterPlace,
  work: (client: ClusterClient) => Promise<Value>,
): Promise<Value> {
  const dispatcher = new Agent({
    connect: { ca: await readAuthority(place), timeout: connectMs },
    maxResponseSize: answerBytesMax,
  });
  try {
    return await work({ get: (path, signal) => get(path, { place, dispatcher, signal }) });
  } finally {
    await dispatcher.destroy();
  }
}

type Calling = Readonly<{ place: ClusterPlace; dispatcher: Agent; signal: AbortSignal }>;

async function get(path: string, { place, dispatcher, signal }: Calling): Promise<ClusterAnswer> {
  const answer = await request(place.url + path, {
    dispatcher,
    headers: { accept: 'application/json', authorization: `Bearer ${await readToken(place)}` },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  });
  return { status: answer.statusCode, body: parseJson(await answer.body.text()) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
