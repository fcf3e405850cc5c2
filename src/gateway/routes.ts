// The twelve proxied routes (specification, "Data plane"): each answers with and without the /v1
// prefix, and goes upstream under the API base, which carries the provider's own version prefix.
// Stateful job routes (/batches, /files, /fine_tuning) are not among them and are not served. The routes
// of the Messages API stand beside them.

import type { Countable } from '../usage/estimate-answer.ts';
import type { Exchange } from './transport/boundary.ts';

export type ProxiedRoute = Readonly<{
  /** Under the API base. */
  path: string;
  /** Whether files are uploaded to it: then it takes multipart/form-data besides JSON. */
  takesForm: boolean;
  /** Whether its streams know `stream_options.include_usage` (Gateway rule 11). */
  knowsIncludeUsage: boolean;
  /** Whether backends of another protocol serve it too, by translation (Gateway rule 14). */
  isTranslated: boolean;
  /** What a route of the Messages API does: its bodies are that API's, and its tokens may just be counted. */
  messages: 'served' | 'counted' | null;
  /** Its bodies are those of the Responses API, which some backends that speak chat do not serve. */
  responses: boolean;
  /** What can be estimated of the tokens of an answer that does not report them. */
  countable: Countable;
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
  ...traits,
});

export const proxiedRoutes: readonly ProxiedRoute[] = [
  route('/chat/completions', { knowsIncludeUsage: true, isTranslated: true, countable: written }),
  route('/completions', { knowsIncludeUsage: true, countable: written }),
  route('/responses', { responses: true, isTranslated: true, countable: written }),
  route('/embeddings', { countable: 'prompt' }),
  route('/rerank', { countable: 'prompt' }),
  route('/score', { countable: 'prompt' }),
  route('/audio/transcriptions', { takesForm: true }),
  route('/audio/translations', { takesForm: true }),
  route('/audio/speech'),
  route('/images/generations'),
  route('/images/edits', { takesForm: true }),
  route('/moderations'),
];

/** Served by any backend as chats, or counted here. */
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

/** Undefined when the path is not proxied. */
export const routeAt = (path: string): ProxiedRoute | undefined => byPath.get(path);

/**
 * Whether the client is one of the Messages API: its key may come in that API's own header, and its errors in
 * that API's envelope. On the model list, which both APIs have, the version header tells.
 */
export function speaksMessages(exchange: Pick<Exchange, 'path' | 'header'>): boolean {
  const { path } = exchange;
  if (messagesPath.test(path)) return true;
  return modelsPath.test(path) && exchange.header('anthropic-version') !== undefined;
}

/** Those that are not served too. */
const messagesPath = /^(?:\/v1)?\/messages(?:\/|$)/;
const modelsPath = /^(?:\/v1)?\/models(?:\/|$)/;
