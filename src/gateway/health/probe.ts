// Probes an endpoint by requesting its model list with its credential, on a new connection. Stores
// the context windows of the list.

import { rootCertificates } from 'node:tls';

import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

import { createOpenGuard } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import { readBounded } from '../../lib/bounded-body.ts';
import type { Protocol } from '../../lib/vocabulary.ts';
import { protocolFacts } from '../../protocols/facts.ts';
import { readModelList } from '../../protocols/model-list.ts';
import { withTimeout } from '../with-timeout.ts';
import type { EndpointState } from '../backend-state.ts';
import { findingOf } from './state.ts';
import type { Finding } from './state.ts';

export type Found = Readonly<{
  finding: Finding;
  /** For the log: a status, or why there was none. */
  detail: string;
  /** Null when there is none, or it exceeds the limit. */
  list: string | null;
}>;

/** Never rejects. */
export type Probe = (endpoint: EndpointState, signal: AbortSignal) => Promise<Found>;

/** The longest public model list is under 1 MiB. */
const listBytesMax = 4 * 1024 * 1024;

export function createProbe(
  options: Readonly<{ timeoutMs: number; caBundle: readonly string[]; guard?: Guard }>,
): Readonly<{ probe: Probe; close: () => Promise<void> }> {
  const { timeoutMs, caBundle, guard = createOpenGuard() } = options;
  const dispatcher = new Agent({
    allowH2: false,
    // A reused connection would hide that new connections fail.
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: guard.connector({
      timeout: timeoutMs,
      ...(caBundle.length === 0 ? {} : { ca: [...rootCertificates, ...caBundle] }),
    }),
  });
  const probe: Probe = async (endpoint, stopping) => {
    const { signal, end } = withTimeout(timeoutMs, stopping);
    try {
      return await ask(endpoint, { dispatcher, signal });
    } catch (error) {
      return { finding: 'failed', detail: reasonOf(error), list: null };
    } finally {
      end();
    }
  };
  return { probe, close: () => dispatcher.destroy() };
}

type Connection = Readonly<{ dispatcher: Dispatcher; signal: AbortSignal }>;

async function ask(
  { backend, reach }: EndpointState,
  { dispatcher, signal }: Connection,
): Promise<Found> {
  const { protocol, origin, basePath, credentialHeaders } = backend;
  const { modelList, requestHeaders } = protocolFacts[protocol];
  const path = `${basePath}/${modelList.pathBelow(basePath)}${modelList.query}`;
  const { statusCode, body } = await request(origin + path, {
    dispatcher,
    headers: [...credentialHeaders, ...requestHeaders, 'accept', 'application/json'],
    signal,
  });
  const finding = findingOf(statusCode, reach);
  const detail = `status ${statusCode}`;
  if (finding === 'passed') return { finding, detail, list: await readBounded(body, listBytesMax) };
  // A destroyed body emits an error, which would end the process without a listener.
  body.on('error', () => undefined).destroy();
  return { finding, detail, list: null };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** By upstream model name. */
export function windowsIn(list: string, protocol: Protocol): ReadonlyMap<string, number> {
  const windows = new Map<string, number>();
  for (const { id, contextLength } of readModelList(list, protocol) ?? []) {
    if (contextLength !== null) windows.set(id, contextLength);
  }
  return windows;
}
