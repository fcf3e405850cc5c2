// The HTTP client for the control plane. Sends the proxy token, and limits the time and the answer
// size of every call.

import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';

import { Agent, request } from 'undici';

import { deltaMediaType, rootHeader } from '../../snapshot/delta/delta.ts';

/** A snapshot with 100,000 keys takes about a tenth of it. */
const answerBytesMax = 256 * 1024 * 1024;
/** An unreachable control plane is retried soon. A slow one may be sending a large answer. */
const connectMs = 3000;
const answerMs = 10_000;

/** `root` is that of a snapshot whose control plane sends deltas. */
export type ControlAnswer = Readonly<{
  status: number;
  etag: string | null;
  root: string | null;
  isDelta: boolean;
  body: Buffer;
}>;

export type ControlClient = Readonly<{
  /** `waitMs` is how long the control plane was asked to wait before it answers. */
  get: (
    path: string,
    call: Readonly<{
      headers: Readonly<Record<string, string>>;
      signal: AbortSignal;
      waitMs: number;
    }>,
  ) => Promise<ControlAnswer>;
  /** A Buffer must already contain JSON. */
  post: (path: string, body: unknown, signal?: AbortSignal) => Promise<ControlAnswer>;
  close: () => Promise<void>;
}>;

export type ControlClientOptions = Readonly<{
  /** May end in /snapshot. */
  controlUrl: string;
  proxyToken: string;
  /** PEM certificates trusted in addition to the built-in ones. */
  caBundle: readonly string[];
  /** The control plane's own certificate (PEM), if known. It is trusted under any host name. */
  pinnedCertificate?: string | null;
}>;

export function createControlClient(options: ControlClientOptions): ControlClient {
  const base = options.controlUrl.replace(/\/+$/, '').replace(/\/snapshot$/, '');
  const connection = {
    connect: { ...trust(options), timeout: connectMs },
    allowH2: false,
    bodyTimeout: answerMs,
    maxResponseSize: answerBytesMax,
  };
  // Behind a balancer, one kept connection stays with one replica, which knows the last snapshot
  // that it sent. Its deltas depend on that.
  const agents = {
    GET: new Agent({ ...connection, connections: 1 }),
    POST: new Agent(connection),
  } as const;
  const authorization = `Bearer ${options.proxyToken}`;
  const call = async ({ method, path, headers, body, signals, waitMs }: Call) => {
    const limitMs = answerMs + waitMs;
    const answer = await request(base + path, {
      dispatcher: agents[method],
      method,
      headers: { 'accept-encoding': 'zstd, gzip', ...headers, authorization },
      body,
      headersTimeout: limitMs,
      signal: AbortSignal.any([AbortSignal.timeout(limitMs), ...signals]),
    });
    const header = (name: string): string | null => {
      const value = answer.headers[name];
      return typeof value === 'string' ? value : null;
    };
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      status: answer.statusCode,
      etag: header('etag'),
      root: header(rootHeader),
      isDelta: header('content-type')?.split(';', 1)[0]?.trim() === deltaMediaType,
      body: await decoded(bytes, header('content-encoding')),
    };
  };
  return {
    get: (path, { headers, signal, waitMs }) =>
      call({ method: 'GET', path, headers, body: null, signals: [signal], waitMs }),
    post: (path, body, signal) =>
      call({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
        signals: signal === undefined ? [] : [signal],
        waitMs: 0,
      }),
    close: async () => {
      await Promise.all([agents.GET.destroy(), agents.POST.destroy()]);
    },
  };
}

const decoders = { zstd: promisify(zstdDecompress), gzip: promisify(gunzip) } as const;

/** The limit of an answer's size also holds for its decoded form. */
async function decoded(bytes: Buffer, coding: string | null): Promise<Buffer> {
  if (coding === null || coding === 'identity') return bytes;
  if (coding !== 'zstd' && coding !== 'gzip') {
    throw new Error(`the control plane sent the unknown content-encoding ${coding}`);
  }
  return decoders[coding](bytes, { maxOutputLength: answerBytesMax });
}

type Call = Readonly<{
  method: 'GET' | 'POST';
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
  signals: readonly AbortSignal[];
  waitMs: number;
}>;

function trust({ caBundle, pinnedCertificate = null }: ControlClientOptions) {
  if (pinnedCertificate !== null) {
    return {
      ca: [pinnedCertificate],
      allowPartialTrustChain: true,
      checkServerIdentity: () => undefined,
    };
  }
  return caBundle.length === 0 ? {} : { ca: [...rootCertificates, ...caBundle] };
}
