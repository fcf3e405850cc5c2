// Allow-lists the headers that pass through the gateway in both directions. Keys, cookies and hop-by-hop headers of clients
// never reach an upstream, and upstreams cannot set the gateway's own headers.

import { ownNames } from './boundary.ts';
import type { FlatHeaders } from './boundary.ts';

export const forwardedNames = [
  'accept',
  'accept-language',
  'anthropic-beta',
  'content-type',
  'http-referer',
  'idempotency-key',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-title',
] as const;
const requestHeaders: ReadonlySet<string> = new Set(forwardedNames);
export const forwardedPrefix = 'openai-';

/** The upstream headers that the client may see. */
export const answerHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-disposition',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'openai-model',
  'openai-processing-ms',
  'openai-version',
  'x-should-retry',
] as const;

/**
 * Headers that must not be repeated, because parsers disagree on which value counts. Host must not
 * either.
 */
const singular: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-type',
  'transfer-encoding',
  'x-api-key',
]);

const ownFields: ReadonlySet<string> = new Set(ownNames);

export type RequestHead = Readonly<{
  forwarded: string[];
  duplicate: string | null;
  /** By lower-case name. The first value when a name is repeated. */
  own: ReadonlyMap<string, string>;
}>;

/** `rawHeaders` are alternating names and values, as received. */
export function readRequestHead(rawHeaders: readonly string[]): RequestHead {
  const forwarded: string[] = [];
  const own = new Map<string, string>();
  let nominated: readonly string[] = [];
  let duplicate: string | null = null;
  let hasHost = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (ownFields.has(name)) {
      if (!own.has(name)) own.set(name, value);
      else if (singular.has(name)) duplicate = name;
    } else if (name === 'host') {
      if (hasHost) duplicate = name;
      hasHost = true;
    }
    if (requestHeaders.has(name) || name.startsWith(forwardedPrefix)) forwarded.push(name, value);
    else if (name === 'connection') nominated = nominated.concat(nominatedBy(value));
  }
  return {
    forwarded: nominated.length === 0 ? forwarded : without(forwarded, nominated),
    duplicate,
    own,
  };
}

/** `name` is in lower case. Repeated values are joined by commas (RFC 9110, section 5.3). */
export function fieldIn(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const own = rawHeaders[index];
    if (own?.length !== name.length || own.toLowerCase() !== name) continue;
    const value = rawHeaders[index + 1] ?? '';
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

/** The headers that a Connection header declares as hop-by-hop. */
function nominatedBy(connection: string): readonly string[] {
  if (connection === 'keep-alive' || connection === 'close') return [];
  return connection
    .toLowerCase()
    .split(',')
    .map((token) => token.trim());
}

const without = (headers: readonly string[], names: readonly string[]): string[] =>
  headers.filter((_, index) => !names.includes(headers[index - (index % 2)] ?? ''));

/**
 * Appends upstream headers that the client may see. Omits non-ASCII values: they are invalid, and
 * Node throws for some of them.
 */
export function appendAnswerHeaders(target: FlatHeaders, headers: FlatHeaders): void {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (isAscii(value)) target.push(name, value);
  }
}

const isAscii = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text);

export const withoutHeader = (headers: readonly string[], name: string): FlatHeaders =>
  headers.filter((_, index) => headers[index - (index % 2)] !== name);
