// Talks to the control plane: one small client with the proxy token, used by the poll and the
// reporter. Every call has a time limit and a bound on the answer.

import { rootCertificates } from 'node:tls';

import { Agent, request } from 'undici';

/** The largest answer that is read; a snapshot of 100,000 keys takes about a tenth of it. */
const answerBytesMax = 256 * 1024 * 1024;
const callMs = 10_000;

export type ControlAnswer = Readonly<{ status: number; etag: string | null; body: Buffer }>;

export type ControlClient = Readonly<{
  get: (
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<ControlAnswer>;
  post: (path: string, body: unknown, signal?: AbortSignal) => Promise<ControlAnswer>;
  close: () => Promise<void>;
}>;

export type ControlClientOptions = Readonly<{
  /** The base of the control plane; may end in /snapshot. */
  controlUrl: string;
  proxyToken: string;
  /** PEM certificates that are trusted besides the built-in ones. */
  caBundle: readonly string[];
  /**
   * The control plane's own certificate, PEM, when this process knows it: it is trusted under
   * whatever name it is called by.
   */
  pinnedCertificate?: string | null;
}>;

export function createControlClient(options: ControlClientOptions): ControlClient {
  const base = options.controlUrl.replace(/\/+$/, '').replace(/\/snapshot$/, '');
  const agent = new Agent({
    connect: { ...trust(options), timeout: callMs },
    allowH2: false,
    headersTimeout: callMs,
    bodyTimeout: callMs,
    maxResponseSize: answerBytesMax,
  });
  const authorization = `Bearer ${options.proxyToken}`;
  const call = async (
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | null,
    signals: readonly AbortSignal[] = [],
  ): Promise<ControlAnswer> => {
    const answer = await request(base + path, {
      dispatcher: agent,
      method,
      headers: { ...headers, authorization },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(callMs), ...signals]),
    });
    const etag = answer.headers['etag'];
    return {
      status: answer.statusCode,
      etag: typeof etag === 'string' ? etag : null,
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  };
  return {
    get: (path, headers, signal) => call('GET', path, headers, null, [signal]),
    post: (path, body, signal) =>
      call(
        'POST',
        path,
        { 'content-type': 'application/json' },
        JSON.stringify(body),
        signal === undefined ? [] : [signal],
      ),
    close: () => agent.destroy(),
  };
}

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
