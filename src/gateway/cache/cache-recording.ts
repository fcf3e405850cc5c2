// Keeps an answer while it is relayed, and stores it when it has come whole. An error, a stream and
// what is too large to store are not kept (Gateway rule 9).

import { entryBytesMax } from './cache.ts';
import type { CachedAnswer, ResponseCache } from './cache.ts';
import type { CacheKey } from './cache-key.ts';
import type { MaskedHead } from '../outbound/credential-echo.ts';
import { scanMembers, skipSpace } from '../body/json-scan.ts';
import type { MemberVisitor } from '../body/json-scan.ts';
import type { Step } from '../plan.ts';
import { appendAnswerHeaders, withoutHeader } from '../transport/header-policy.ts';

const eventStream = /^text\/event-stream\b/i;

/** Null when the answer is not to be stored. `place` is for the model of the step. */
export function startRecording(
  cache: ResponseCache,
  cacheKey: CacheKey,
  { step, head }: Readonly<{ step: Step; head: MaskedHead }>,
): Recording | null {
  const { status, headers } = head;
  if (status < 200 || status >= 300) return null;
  const kept: string[] = [];
  // Each answer from the cache says its length itself.
  appendAnswerHeaders(kept, withoutHeader(headers, 'content-length'));
  const type = kept[kept.indexOf('content-type') + 1] ?? '';
  if (eventStream.test(type)) return null;
  const { providerId } = step.backend.backend;
  return new Recording(cache, cacheKey, { status, headers: kept, providerId });
}

export class Recording {
  readonly #cache: ResponseCache;
  readonly #cacheKey: CacheKey;
  readonly #head: Pick<CachedAnswer, 'status' | 'headers' | 'providerId'>;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    cache: ResponseCache,
    cacheKey: CacheKey,
    head: Pick<CachedAnswer, 'status' | 'headers' | 'providerId'>,
  ) {
    this.#cache = cache;
    this.#cacheKey = cacheKey;
    this.#head = head;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= entryBytesMax) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** `nowMs` is monotonic. */
  complete(usage: CachedAnswer['usage'], nowMs: number): void {
    if (this.#bytes > entryBytesMax) return;
    const body = joined(this.#chunks, this.#bytes);
    if (!isErrorBody(body))
      this.#cache.store(this.#cacheKey, { ...this.#head, body, usage }, nowMs);
  }
}

/** A copy of its own: a slice would keep alive all that was read together with it. */
function joined(chunks: readonly Buffer[], bytes: number): Buffer {
  const body = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(body, at);
  return body;
}

/** Some upstreams tell an error with a status of 200, and some in an object that has other members. */
function isErrorBody(body: Buffer): boolean {
  const open = skipSpace(body, 0);
  if (body[open] !== 0x7b) return false;
  const finder = new ErrorFinder(body);
  scanMembers(body, open, { mediaBytes: 0 }, finder);
  return finder.hasError;
}

class ErrorFinder implements MemberVisitor {
  hasError = false;
  readonly #body: Buffer;

  constructor(body: Buffer) {
    this.#body = body;
  }

  member(key: number, keyEnd: number, value: number): boolean {
    const isNull = this.#body[value] === 0x6e;
    if (!isNull && this.#body.toString('latin1', key, keyEnd) === '"error"') this.hasError = true;
    return !this.hasError;
  }
}
