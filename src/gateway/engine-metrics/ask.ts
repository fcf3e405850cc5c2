// One question to an endpoint for its engine's metrics, which lie at the root of the host, beside the versioned API, bounded in time and
// size.

import { rootCertificates } from 'node:tls';

import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

import type { EndpointState } from '../health/endpoint.ts';
import { withinTime } from '../within-time.ts';
import type { Answer } from './detection.ts';
import { readEnginePage } from './families.ts';
import type { EnginePage } from './families.ts';

export type Asked =
  | Readonly<{ answer: 'reading'; page: EnginePage }>
  | Readonly<{ answer: Exclude<Answer, 'reading'>; page: null }>;

/** Never rejects. */
export type Ask = (endpoint: EndpointState, signal: AbortSignal) => Promise<Asked>;

const timeoutMs = 5000;
/** An engine with many adapters has a page of some 100 KiB. */
const pageBytesMax = 4 * 1024 * 1024;

const foreign: Asked = { answer: 'foreign', page: null };
const none: Asked = { answer: 'none', page: null };

export function createAsk(
  options: Readonly<{ caBundle: readonly string[] }>,
): Readonly<{ ask: Ask; close: () => Promise<void> }> {
  const { caBundle } = options;
  const dispatcher = new Agent({
    allowH2: false,
    connections: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: timeoutMs,
      ...(caBundle.length === 0 ? {} : { ca: [...rootCertificates, ...caBundle] }),
    },
  });
  const ask: Ask = async (endpoint, stopping) => {
    const { signal, end } = withinTime(timeoutMs, stopping);
    try {
      return await askAt(endpoint, { dispatcher, signal });
    } catch {
      return none;
    } finally {
      end();
    }
  };
  return { ask, close: () => dispatcher.destroy() };
}

async function askAt(
  { backend }: EndpointState,
  { dispatcher, signal }: Readonly<{ dispatcher: Dispatcher; signal: AbortSignal }>,
): Promise<Asked> {
  const { origin, basePath, credentialHeaders } = backend;
  const { statusCode, body } = await request(origin + metricsPath(basePath), {
    dispatcher,
    headers: [...credentialHeaders, 'accept', 'text/plain'],
    signal,
  });
  if (statusCode >= 200 && statusCode < 300) {
    const text = await textOf(body);
    const page = text === null ? null : readEnginePage(text);
    if (page !== null) return { answer: 'reading', page };
    return text === null ? none : foreign;
  }
  // A body that is cut short reports it; without a listener that would end the process.
  body.on('error', () => undefined).destroy();
  return isBusy(statusCode) ? none : foreign;
}

/** Of a server that would answer otherwise at another time. One that knows no such page may say 501. */
const isBusy = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501);

export const metricsPath = (basePath: string): string => `${basePath.replace(/\/v1$/, '')}/metrics`;

/** Null when it is longer than is read. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > pageBytesMax) return null;
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString();
}
