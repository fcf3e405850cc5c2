// One question to an endpoint for its engine's metrics, which lie at the root of the host, beside the versioned API, bounded in time and
// size.

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
/** An engine with many adapters has a page of some 100 KiB. */
const pageBytesMax = 4 * 1024 * 1024;
/** How a server answers that has a page for each model, and none for all of them. */
const needsModel = 400;
/** Of an endpoint that has a page for each; of further ones nothing is known. */
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
 * Asks for each model by its name, as a router of llama.cpp wants it (ggml-org/llama.cpp, tools/server/README.md, "Using multiple models").
 * A question loads no model; one that is not loaded is answered with an error, and nothing runs in it.
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

/** The text is null when it is longer than is read, and of an answer that is none. */
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
  // A body that is cut short reports it; without a listener that would end the process.
  body.on('error', () => undefined).destroy();
  return { status, text: null };
}

/** Of a server that would answer otherwise at another time. One that knows no such page may say 501. */
const isBusy = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501);

export const metricsPath = (basePath: string): string => `${basePath.replace(/\/v1$/, '')}/metrics`;
