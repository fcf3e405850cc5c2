// Where the answer to a request is in the response cache: nowhere, or under the digest of what
// decides it. All callers share the cache, so that whatever could change an answer is in its key.

import { hash } from 'node:crypto';

import type { CompiledModel } from '../../snapshot/compile/models.ts';
import type { ProxiedRoute } from '../routes.ts';

export type CacheKey = Readonly<{
  /** Of the snapshot that the request is served by. */
  edition: string;
  /** SHA-256 over the route, the model that the name was resolved to, and the body. */
  key: string;
  model: CompiledModel;
  ttlMs: number;
}>;

export type CacheableRequest = Readonly<{
  edition: string;
  proxied: ProxiedRoute;
  /** The first of the chain: what another one answers is not stored. */
  model: CompiledModel;
  isStream: boolean;
  body: Buffer;
  /** As they go upstream, names in lower case and values in turn. */
  headers: readonly string[];
}>;

/** A longer body is not looked up: its digest would hold up all other requests. */
export const hashedBytesMax = 1024 * 1024;

/**
 * Header values that ask for nothing in particular; any other is part of the key. The boundary of a
 * form stands in its body too.
 */
const usual: ReadonlyMap<string, RegExp> = new Map([
  ['accept', /^(?:\*\/\*|application\/json(?:, \*\/\*|, text\/plain, \*\/\*)?)$/],
  ['accept-language', /^\*$/],
  ['content-type', /^(?:application\/json(?:; ?charset=utf-8)?|multipart\/form-data;.*)$/i],
  ['anthropic-beta', /^$/],
]);
const vendorPrefix = 'openai-';

export function cacheKeyOf(question: CacheableRequest): CacheKey | null {
  const { edition, proxied, model, isStream, body, headers } = question;
  const ttlMs = model.cacheTtlMs;
  if (ttlMs === null || isStream || body.length > hashedBytesMax) return null;
  let asked = `${proxied.path}\n${model.id}\n`;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (isUnusual(name, value)) asked += `${name}: ${value}\n`;
  }
  // Digested in one call, which for a short body costs less than a digest fed in pieces.
  const key = hash('sha256', Buffer.concat([Buffer.from(`${asked}\n`), body]), 'base64url');
  return { edition, key, model, ttlMs };
}

function isUnusual(name: string, value: string): boolean {
  const pattern = usual.get(name);
  return pattern === undefined ? name.startsWith(vendorPrefix) : !pattern.test(value);
}
