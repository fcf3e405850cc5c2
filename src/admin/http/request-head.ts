// Validates the head of a request and normalizes its path. The audit log, Idempotency-Key and next
// links compare paths, so each path must have one spelling.

import type { IncomingMessage } from 'node:http';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/**
 * Refuses absolute request targets and duplicate Host headers, because an intermediary may have
 * routed by them (RFC 9112, section 3.2).
 */
export function refuseHead(request: IncomingMessage): Refusal | null {
  const { url, headers, rawHeaders, httpVersion } = request;
  if (url?.startsWith('/') !== true) return refuse('invalid', 'the request target must be a path');
  // The router would read an empty segment as a record without an id.
  if (emptyLast.test(url)) return refuse('absent', 'no such path');
  const charset = charsetOf(headers['content-type'] ?? '');
  if (charset !== null && charset.toLowerCase() !== 'utf-8') {
    const message = `content-type: a body must be UTF-8, not ${charset}`;
    return refuse('unsupported_media', message, { param: 'content-type' });
  }
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null;
  return refuse(
    'invalid',
    hosts === 0
      ? 'host: the Host header is missing'
      : `host: the Host header occurs ${hosts} times; send it once`,
    { param: 'host' },
  );
}

/** Node also accepts HTTP/2.0 and HTTP/0.9 on an HTTP/1.1 connection. */
export const isOtherVersion = ({ httpVersion }: IncomingMessage): boolean =>
  httpVersion !== '1.1' && httpVersion !== '1.0';

const emptyLast = /^\/admin\/[^?]*\/(?:\?|$)/;

/** RFC 9110, section 8.3. Null if no charset is given. */
const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType)?.[1] ?? null;

/** Fills in the parameters of a path such as `/admin/roles/{name}`. */
export const pathOf = (routePath: string, params: unknown): string =>
  routePath.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueOf(params, name)),
  );

const valueOf = (params: unknown, name: string): string =>
  typeof params === 'object' && params !== null ? String(Reflect.get(params, name)) : '';
