// Reads an engine's metrics once, from the root of its host, with limits on time and size.

import { rootCertificates } from 'node:tls';

import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

import { createOpenGuard } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import { readBounded } from '../../lib/bounded-body.ts';
import type { EndpointState } from '../backend-state.ts';
import { withTimeout } from '../with-timeout.ts';
import type { Answer } from './detection.ts';
import { pageOfModels, readEnginePage } from './families.ts';
import type { EnginePage } from './families.ts';

export type ScrapeResult =
  | Readonly<{ answer: 'reading'; page: EnginePage }>
  | Readonly<{ answer: Exclude<Answer, 'reading'>; page: null }>;

/** Never rejects. */
export type Scrape = (endpoint: EndpointState, signal: AbortSignal) => Promise<ScrapeResult>;

const timeoutMs = 5000;
/** The page of an engine with many adapters is about 100 KiB. */
const pageBytesMax = 4 * 1024 * 1024;
/** The status of a server that has a page per model and no common page. */
const needsModel = 400;
/** Per endpoint. */
const modelsMax = 128;

const foreign: ScrapeResult = { answer: 'foreign', page: null };
const none: ScrapeResult = { answer: 'none', page: null };

export function createScrape(
  options: Readonly<{ caBundle: readonly string[]; guard?: Guard }>,
): Readonly<{ scrape: Scrape; close: () => Promise<void> }> {
  const { caBundle, guard = createOpenGuard() } = options;
  const dispatcher = new Agent({
    allowH2: false,
    connections: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: guard.connector({
      timeout: timeoutMs,
      ...(caBundle.length === 0 ? {} : { ca: [...rootCertificates, ...caBundle] }),
    }),
  });
  const scrape: Scrape = async (endpoint, stopping) => {
    const { signal, end } = withTimeout(timeoutMs, stopping);
    try {
      return await scrapeEndpoint(endpoint, { dispatcher, signal });
    } catch {
      return none;
    } finally {
      end();
    }
  };
  return { scrape, close: () => dispatcher.destroy() };
}

type ScrapeContext = Readonly<{ dispatcher: Dispatcher; signal: AbortSignal }>;

async function scrapeEndpoint(
  endpoint: EndpointState,
  context: ScrapeContext,
): Promise<ScrapeResult> {
  const { status, text } = await fetchPage(endpoint, '', context);
  if (status === needsModel) return scrapeByModel(endpoint, context);
  if (status < 200 || status >= 300) return isBusy(status) ? none : foreign;
  if (text === null) return none;
  const page = readEnginePage(text);
  return page === null ? foreign : { answer: 'reading', page };
}

/**
 * Reads one page per model, as a llama.cpp router requires (ggml-org/llama.cpp, tools/server/README.md, "Using
 * multiple models"). `autoload=false` does not load a model. A model that is not loaded answers with an error, and no
 * request runs in it.
 */
async function scrapeByModel(
  endpoint: EndpointState,
  context: ScrapeContext,
): Promise<ScrapeResult> {
  const names = new Set(endpoint.backends.map(({ backend }) => backend.upstreamModel));
  const pages = new Map<string, EnginePage | null>();
  for (const name of [...names].slice(0, modelsMax)) {
    const query = new URLSearchParams({ model: name, autoload: 'false' });
    const { status, text } = await fetchPage(endpoint, `?${query.toString()}`, context);
    pages.set(name, status === 200 && text !== null ? readEnginePage(text) : null);
  }
  const page = pageOfModels(pages);
  return page === null ? none : { answer: 'reading', page };
}

/** The text is null when it exceeds the limit, and for an error status. */
async function fetchPage(
  { backend }: EndpointState,
  query: string,
  { dispatcher, signal }: ScrapeContext,
): Promise<Readonly<{ status: number; text: string | null }>> {
  const { origin, basePath, credentialHeaders } = backend;
  const { statusCode: status, body } = await request(origin + metricsPath(basePath) + query, {
    dispatcher,
    headers: [...credentialHeaders, 'accept', 'text/plain'],
    signal,
  });
  if (status >= 200 && status < 300) return { status, text: await readBounded(body, pageBytesMax) };
  // A destroyed body emits an error, which would end the process without a listener.
  body.on('error', () => undefined).destroy();
  return { status, text: null };
}

/** True for a status that may change later. A server without metrics may answer 501. */
const isBusy = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501);

export const metricsPath = (basePath: string): string => `${basePath.replace(/\/v1$/, '')}/metrics`;
