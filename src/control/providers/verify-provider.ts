// Dials a provider for its model list. One that does not answer is not stored (Provider creation
// rules 1 and 2). The caller never sees the response body.

import type { Dispatcher } from 'undici';
import { request } from 'undici';

import type { Endpoint } from '../../../events/provider.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import { protocolFacts } from '../../protocols/facts.ts';
import { readModelList } from '../../protocols/model-list.ts';
import type { ServedModel } from '../../protocols/model-list.ts';
import { readBounded } from '../../lib/bounded-body.ts';
import type { AccessToken } from './cloud-token.ts';
import { EgressRefused } from '../../egress/egress.ts';
import { createSlots } from '../slots.ts';
import type { SlotLimits } from '../slots.ts';

export type DialTarget = Readonly<{
  endpoint: Endpoint;
  /** Null if the provider needs none. */
  credential: Readonly<{ kind: CredentialKind; plaintext: string }> | null;
  /** Relative to the address. Null for the protocol's default. */
  modelsPath: string | null;
}>;

/** The code of a refusal is `upstream`. Its `param` is the field to check. */
export type Dial = (target: DialTarget) => Promise<readonly ServedModel[] | Refusal>;

const dialTimeoutMs = 10_000;
/** The longest public model list is under 1 MiB. */
const listBytesMax = 4 * 1024 * 1024;
/** Gemini answers an unknown key with status 400 and this reason. */
const unknownKeyReason = 'API_KEY_INVALID';
const reasonBytesMax = 64 * 1024;

type Dependencies = Readonly<{
  dispatcher: Dispatcher;
  accessToken: AccessToken;
  signal?: AbortSignal;
}>;

/** Bounds dials, since the right to read is enough to request a list. */
const parallelMax = 8;
const waitingMax = 32;

/**
 * For dials that people request. The program's own dials have other limits, so that neither waits
 * for the other.
 */
export function createDial(
  dependencies: Dependencies,
  limits: Pick<SlotLimits, 'parallelMax' | 'waitingMax'> = { parallelMax, waitingMax },
): Dial {
  const slots = createSlots({ ...limits, what: 'calls to providers' });
  return (target) => slots.run(() => dial(target, dependencies));
}

async function dial(
  target: DialTarget,
  { dispatcher, accessToken, signal: ending }: Dependencies,
): Promise<readonly ServedModel[] | Refusal> {
  const url = modelsUrl(target);
  const timeout = AbortSignal.timeout(dialTimeoutMs);
  const signal = ending === undefined ? timeout : AbortSignal.any([timeout, ending]);
  const sent = await sentCredential(target, accessToken);
  if (isRefusal(sent)) return sent;
  try {
    const response = await request(url, {
      dispatcher,
      headers: [...headersOf(target.endpoint, sent), 'accept', 'application/json'],
      headersTimeout: dialTimeoutMs,
      bodyTimeout: dialTimeoutMs,
      signal,
    });
    if (response.statusCode === 400) {
      const reason = (await readBounded(response.body, reasonBytesMax)) ?? '';
      return reason.includes(unknownKeyReason) ? rejected(url, 400) : badStatus(url, 400);
    }
    const refusal = refusalOfStatus(response.statusCode, url);
    if (refusal !== null) {
      // A truncated body emits an error, which would end the process without a listener.
      response.body.on('error', () => undefined).destroy();
      return refusal;
    }
    const text = await readBounded(response.body, listBytesMax);
    if (text === null) {
      return upstream(`the model list is longer than ${listBytesMax} bytes`, 'api_base');
    }
    const models = readModelList(text, target.endpoint.protocol);
    const message = `${url.href} did not return a model list of the protocol ${target.endpoint.protocol}`;
    return models ?? upstream(message, 'api_base');
  } catch (error) {
    return refusalOfFailure(error, url);
  }
}

export function modelsUrl({
  endpoint,
  modelsPath,
}: Pick<DialTarget, 'endpoint' | 'modelsPath'>): URL {
  const base = new URL(`${endpoint.api_base.replace(/\/+$/, '')}/`);
  return new URL(
    modelsPath ?? protocolFacts[endpoint.protocol].modelList.pathBelow(base.pathname),
    base,
  );
}

/** A key file is never sent, but exchanged for an access token (Gateway rule 15). */
function sentCredential(
  { credential }: DialTarget,
  accessToken: AccessToken,
): Promise<string | Refusal> | string | null {
  if (credential === null || credential.kind === 'static') return credential?.plaintext ?? null;
  return accessToken(credential.plaintext);
}

function headersOf(endpoint: Endpoint, credential: string | null): string[] {
  const { protocol, auth_header: header, auth_scheme: scheme } = endpoint;
  const headers = [...protocolFacts[protocol].requestHeaders];
  if (credential === null) return headers;
  return [...headers, header, scheme === null ? credential : `${scheme} ${credential}`];
}

const upstream = (message: string, param: string): Refusal =>
  refuse('upstream', message, { param });

const rejected = (url: URL, status: number): Refusal =>
  upstream(`${url.host} rejected the credential (status ${status})`, 'upstream_api_key');

const badStatus = (url: URL, status: number): Refusal =>
  upstream(`${url.href} responded with status ${status}`, 'api_base');

function refusalOfStatus(status: number, url: URL): Refusal | null {
  if (status >= 200 && status < 300) return null;
  if (status === 401 || status === 403) return rejected(url, status);
  if (status === 404) return upstream(`${url.href} has no model list (status 404)`, 'api_base');
  if (status >= 300 && status < 400) {
    return upstream(
      `${url.href} redirects (status ${status}); redirects are not followed`,
      'api_base',
    );
  }
  return badStatus(url, status);
}

function refusalOfFailure(error: unknown, url: URL): Refusal {
  if (error instanceof EgressRefused) return upstream(error.refusal.message, 'api_base');
  if (error instanceof Error && error.name === 'TimeoutError') {
    return upstream(
      `${url.host} did not respond within ${dialTimeoutMs / 1000} seconds`,
      'api_base',
    );
  }
  return upstream(`${url.host} could not be reached (${codeOf(error)})`, 'api_base');
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'no connection';
