// One probe of an endpoint: its model list, with its own credential, on a connection of its own.
// What the list says of context windows is kept, so that nothing else has to be asked for them.

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
  /** The text of a list; null when there is none, or it is longer than is read. */
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
    // A kept connection would hide that no new one can be had.
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

type Asking = Readonly<{ dispatcher: Dispatcher; signal: AbortSignal }>;

async function ask(
  { backend, reach }: EndpointState,
  { dispatcher, signal }: Asking,
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
  // A body that is cut short reports it; without a listener that would end the process.
  body.on('error', () => undefined).destroy();
  return { finding, detail, list: null };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** By the upstream's name of the model. */
export function windowsIn(list: string, protocol: Protocol): ReadonlyMap<string, number> {
  const windows = new Map<string, number>();
  for (const { id, contextLength } of readModelList(list, protocol) ?? []) {
    if (contextLength !== null) windows.set(id, contextLength);
  }
  return windows;
}
