// What the head of a request may be, and the one spelling of its path: the audit log, an Idempotency-Key and a link to the next page
// go by it, so no other spelling may stand for the same change.

import type { IncomingMessage } from 'node:http';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** An intermediary may route by what stands before the path, or by another Host (RFC 9112, section 3.2); this listener does not. */
export function refuseHead(request: IncomingMessage): Refusal | null {
  const { url, headers, rawHeaders, httpVersion } = request;
  if (url?.startsWith('/') !== true) return refuse('invalid', 'the request target must be a path');
  // The router would take it for a record without an id.
  if (emptyLast.test(url)) return refuse('absent', 'no such path');
  const charset = charsetOf(headers['content-type'] ?? '');
  if (charset !== null && charset.toLowerCase() !== 'utf-8') {
    const message = `content-type: a body must be UTF-8, not ${charset}`;
    return refuse('unsupported_media', message, { param: 'content-type' });
  }
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null;
  return refuse('invalid', `host: must be there once, was there ${hosts} times`, { param: 'host' });
}

/** Node reads HTTP/2.0 and HTTP/0.9 as if they were HTTP/1.1. */
export const isOtherVersion = ({ httpVersion }: IncomingMessage): boolean =>
  httpVersion !== '1.1' && httpVersion !== '1.0';

const emptyLast = /^\/admin\/[^?]*\/(?:\?|$)/;

/** RFC 9110, section 8.3. Null when none is named. */
const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType)?.[1] ?? null;

/** `/admin/roles/{name}` with its parameters in their places. */
export const pathOf = (routePath: string, params: unknown): string =>
  routePath.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueOf(params, name)),
  );

const valueOf = (params: unknown, name: string): string =>
  typeof params === 'object' && params !== null ? String(Reflect.get(params, name)) : '';
