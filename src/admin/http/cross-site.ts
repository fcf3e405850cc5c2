// Refuses what another site makes a browser send. SameSite alone does not: another port or subdomain of this host is the same
// site. A request without either header does not come from a browser and carries no one's cookie against their will.

import type { IncomingHttpHeaders } from 'node:http';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export function refuseCrossSite(headers: IncomingHttpHeaders): Refusal | null {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    return site === 'same-origin' || site === 'none' ? null : crossSite;
  }
  if (headers.origin === undefined) return null;
  return hostOf(headers.origin) === headers.host ? null : crossSite;
}

const crossSite = refuse('forbidden', 'the request comes from another site');

const hostOf = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null;
