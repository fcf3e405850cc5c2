// The proxied routes (specification, "Data plane"). Each is served with and without the /v1 prefix, and is appended to the
// API base, which contains the provider's version prefix. Stateful job routes (/batches, /files, /fine_tuning) are not
// served. The routes of the Messages API are listed separately.

import type { Countable } from '../usage/estimate-answer.ts';
import type { Exchange } from './transport/boundary.ts';

export type ProxiedRoute = Readonly<{
  /** The path under the API base. */
  path: string;
  /** Accepts uploads as multipart/form-data in addition to JSON. */
  takesForm: boolean;
  /** Its streams support `stream_options.include_usage` (Gateway rule 11). */
  knowsIncludeUsage: boolean;
  /** Backends of another protocol serve it by translation (Gateway rule 14). */
  isTranslated: boolean;
  /** For routes of the Messages API: `served` forwards the request, `counted` only estimates its tokens. */
  messages: 'served' | 'counted' | null;
  /** True for the Responses API, which some chat backends do not support. */
  responses: boolean;
  /** The tokens that can be estimated when an answer does not report them. */
  countable: Countable;
  /** The counts that are billed on this route although answers do not report them. */
  unreported: 'calls' | 'citations' | 'images' | 'characters' | null;
}>;

const written = 'prompt_and_completion';

const route = (path: string, traits: Partial<ProxiedRoute> = {}): ProxiedRoute => ({
  path,
  takesForm: false,
  knowsIncludeUsage: false,
  isTranslated: false,
  messages: null,
  responses: false,
  countable: 'nothing',
  unreported: null,
  ...traits,
});

export const proxiedRoutes: readonly ProxiedRoute[] = [
  route('/chat/completions', {
    knowsIncludeUsage: true,
    isTranslated: true,
    countable: written,
    unreported: 'citations',
  }),
  route('/completions', { knowsIncludeUsage: true, countable: written }),
  route('/responses', {
    responses: true,
    isTranslated: true,
    countable: written,
    unreported: 'calls',
  }),
  route('/embeddings', { countable: 'prompt' }),
  route('/rerank', { countable: 'prompt' }),
  route('/score', { countable: 'prompt' }),
  route('/audio/transcriptions', { takesForm: true }),
  route('/audio/translations', { takesForm: true }),
  route('/audio/speech', { unreported: 'characters' }),
  route('/images/generations', { unreported: 'images' }),
  route('/images/edits', { takesForm: true, unreported: 'images' }),
  route('/moderations'),
];

/** Served by any backend through chat completions, or counted here. */
const messagesRoutes: readonly ProxiedRoute[] = [
  route('/messages', { messages: 'served', isTranslated: true, countable: written }),
  route('/messages/count_tokens', { messages: 'counted', isTranslated: true }),
];

const byPath: ReadonlyMap<string, ProxiedRoute> = new Map(
  [...proxiedRoutes, ...messagesRoutes].flatMap((one) => [
    [one.path, one],
    [`/v1${one.path}`, one],
  ]),
);

export const routeAt = (path: string): ProxiedRoute | undefined => byPath.get(path);

/**
 * True when the client uses the Messages API: its key may be in that API's header, and errors have that API's format.
 * On the model list, which both APIs have, the version header decides.
 */
export function speaksMessages(exchange: Pick<Exchange, 'path' | 'header'>): boolean {
  const { path } = exchange;
  if (messagesPath.test(path)) return true;
  return modelsPath.test(path) && exchange.header('anthropic-version') !== undefined;
}

/** Includes paths that are not served. */
const messagesPath = /^(?:\/v1)?\/messages(?:\/|$)/;
const modelsPath = /^(?:\/v1)?\/models(?:\/|$)/;
