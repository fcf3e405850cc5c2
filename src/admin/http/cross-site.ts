// Refuses cross-site requests from browsers. SameSite alone is not enough, because other ports and
// subdomains of this host are the same site. Requests with neither header do not come from a
// browser.

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

const crossSite = refuse('forbidden', 'the request was sent by a page of another site');

const hostOf = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null;
