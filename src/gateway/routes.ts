// The proxied routes: each answers with and without the /v1 prefix, and goes upstream under the API base.

const proxied: ReadonlySet<string> = new Set(['/chat/completions']);

const withoutVersion = (path: string): string => (path.startsWith('/v1/') ? path.slice(3) : path);

export const isProxiedPath = (path: string): boolean => proxied.has(withoutVersion(path));

/** The API base of a provider carries its own version prefix. */
export const upstreamPath = (path: string): string => withoutVersion(path);
