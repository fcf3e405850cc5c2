// The HTTP client for the control plane. Sends the proxy token, and limits the time and the answer
// size of every call.

import { rootCertificates } from 'node:tls';

import { Agent, request } from 'undici';

/** A snapshot with 100,000 keys takes about a tenth of it. */
const answerBytesMax = 256 * 1024 * 1024;
/** An unreachable control plane is retried soon. A slow one may be sending a large answer. */
const connectMs = 3000;
const answerMs = 10_000;

export type ControlAnswer = Readonly<{ status: number; etag: string | null; body: Buffer }>;

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
  const agent = new Agent({
    connect: { ...trust(options), timeout: connectMs },
    allowH2: false,
    bodyTimeout: answerMs,
    maxResponseSize: answerBytesMax,
  });
  const authorization = `Bearer ${options.proxyToken}`;
  const call = async ({ method, path, headers, body, signals, waitMs }: Call) => {
    const limitMs = answerMs + waitMs;
    const answer = await request(base + path, {
      dispatcher: agent,
      method,
      headers: { ...headers, authorization },
      body,
      headersTimeout: limitMs,
      signal: AbortSignal.any([AbortSignal.timeout(limitMs), ...signals]),
    });
    const etag = answer.headers['etag'];
    return {
      status: answer.statusCode,
      etag: typeof etag === 'string' ? etag : null,
      body: Buffer.from(await answer.body.arrayBuffer()),
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
    close: () => agent.destroy(),
  };
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
