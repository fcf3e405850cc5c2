// What the head of a request may be, and the one spelling of its path: the audit log, an Idempotency-Key and a link to the next page
// go by it, so no other spelling may stand for the same change.

import type { IncomingMessage } from 'node:http';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

/** An intermediary may route by what stands before the path, or by another Host (RFC 9112, section 3.2); this listener does not. */
export function refuseHead({ url, rawHeaders, httpVersion }: IncomingMessage): Refusal | null {
  if (url?.startsWith('/') !== true) return refuse('invalid', 'the request target must be a path');
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null;
  return refuse('invalid', `host: must be there once, was there ${hosts} times`, { param: 'host' });
}

/** `/admin/roles/{name}` with its parameters in their places. */
export const pathOf = (routePath: string, params: unknown): string =>
  routePath.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueOf(params, name)),
  );

const valueOf = (params: unknown, name: string): string =>
  typeof params === 'object' && params !== null ? String(Reflect.get(params, name)) : '';
