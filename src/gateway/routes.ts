// The proxied routes: each answers with and without the /v1 prefix, and goes upstream under the
// API base, which carries the provider's own version prefix.

const proxied = ['/chat/completions'];

const upstreamPaths: ReadonlyMap<string, string> = new Map(
  proxied.flatMap((path) => [
    [path, path],
    [`/v1${path}`, path],
  ]),
);

/** Undefined when the path is not proxied. */
export const upstreamPath = (path: string): string | undefined => upstreamPaths.get(path);
