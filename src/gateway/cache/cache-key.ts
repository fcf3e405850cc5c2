// Computes the response-cache key of a request: a digest of everything that can change the answer. All callers share the
// cache. Null when the request is not cacheable.

import { hash } from 'node:crypto';

import type { CompiledModel } from '../../snapshot/compile/models.ts';
import type { ProxiedRoute } from '../routes.ts';

export type CacheKey = Readonly<{
  /** The edition of the snapshot that serves the request. */
  edition: string;
  /** SHA-256 of the route, the resolved model and the body. */
  key: string;
  model: CompiledModel;
  ttlMs: number;
}>;

export type CacheableRequest = Readonly<{
  edition: string;
  proxied: ProxiedRoute;
  /** The first candidate. Answers of other candidates are not stored. */
  model: CompiledModel;
  isStream: boolean;
  body: Buffer;
  /** Sent upstream: alternating lower-case names and values. */
  headers: readonly string[];
}>;

/** Longer bodies are not cached, because hashing them would delay other requests. */
export const hashedBytesMax = 1024 * 1024;

/** Header values without effect on the answer; any other value is part of the key. A form's boundary is also in its body. */
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
  // Faster than an incremental digest for short bodies.
  const key = hash('sha256', Buffer.concat([Buffer.from(`${asked}\n`), body]), 'base64url');
  return { edition, key, model, ttlMs };
}

function isUnusual(name: string, value: string): boolean {
  const pattern = usual.get(name);
  return pattern === undefined ? name.startsWith(vendorPrefix) : !pattern.test(value);
}
