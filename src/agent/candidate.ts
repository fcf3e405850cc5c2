// Defines candidates: addresses where a model server may be. A probe decides.

import { isIPv6 } from 'node:net';

export type Candidate = Readonly<{
  apiBase: string;
  /** Null if unknown. */
  node: string | null;
  /** A configured endpoint is registered even if it does not answer the probe. */
  isOutright: boolean;
}>;

export type Scheme = 'http' | 'https';

/** Engines serve their API under `/v1`. */
export const apiBaseOf = (scheme: Scheme, host: string, port: number): string =>
  new URL(`${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}/v1`).href;

export const outright = (apiBase: string): Candidate => ({
  apiBase: new URL(apiBase).href.replace(/\/+$/, ''),
  node: null,
  isOutright: true,
});

export const scanned = (host: string, ports: readonly number[]): readonly Candidate[] =>
  ports.map((port) => ({ apiBase: apiBaseOf('http', host, port), node: null, isOutright: false }));

/** Keeps the first of several candidates for one address. */
export function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const byAddress = new Map<string, Candidate>();
  for (const candidate of candidates) {
    if (!byAddress.has(candidate.apiBase)) byAddress.set(candidate.apiBase, candidate);
  }
  return [...byAddress.values()];
}
