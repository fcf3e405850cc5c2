// The twelve proxied routes (specification, "Data plane"): each answers with and without the /v1
// prefix, and goes upstream under the API base, which carries the provider's own version prefix.
// Stateful job routes (/batches, /files, /fine_tuning) are not among them and are not served.

export type ProxiedRoute = Readonly<{
  /** Under the API base. */
  path: string;
  /** Whether files are uploaded to it: then it takes multipart/form-data besides JSON. */
  takesForm: boolean;
  /** Whether its streams know `stream_options.include_usage` (Gateway rule 11). */
  knowsIncludeUsage: boolean;
  /** Whether backends of another protocol serve it too, by translation (Gateway rule 14). */
  isTranslated: boolean;
}>;

const route = (path: string, traits: Partial<ProxiedRoute> = {}): ProxiedRoute => ({
  path,
  takesForm: false,
  knowsIncludeUsage: false,
  isTranslated: false,
  ...traits,
});

export const proxiedRoutes: readonly ProxiedRoute[] = [
  route('/chat/completions', { knowsIncludeUsage: true, isTranslated: true }),
  route('/completions', { knowsIncludeUsage: true }),
  route('/responses'),
  route('/embeddings'),
  route('/rerank'),
  route('/score'),
  route('/audio/transcriptions', { takesForm: true }),
  route('/audio/translations', { takesForm: true }),
  route('/audio/speech'),
  route('/images/generations'),
  route('/images/edits', { takesForm: true }),
  route('/moderations'),
];

const byPath: ReadonlyMap<string, ProxiedRoute> = new Map(
  proxiedRoutes.flatMap((one) => [
    [one.path, one],
    [`/v1${one.path}`, one],
  ]),
);

/** Undefined when the path is not proxied. */
export const routeAt = (path: string): ProxiedRoute | undefined => byPath.get(path);
