// Records an answer while it is relayed, and caches it when it is complete. Errors, streams and
// large answers are not recorded (Gateway rule 9).

import { entryBytesMax } from './cache.ts';
import type { CachedAnswer, ResponseCache } from './cache.ts';
import type { CacheKey } from './cache-key.ts';
import type { MaskedHead } from '../outbound/credential-echo.ts';
import { scanMembers, skipSpace } from '../body/json-scan.ts';
import type { MemberVisitor } from '../body/json-scan.ts';
import type { Step } from '../plan.ts';
import { appendAnswerHeaders, withoutHeader } from '../transport/header-policy.ts';

const eventStream = /^text\/event-stream\b/i;

/** Null when the answer must not be stored. `cacheKey` must be for the model of the step. */
export function startRecording(
  cache: ResponseCache,
  cacheKey: CacheKey,
  { step, head }: Readonly<{ step: Step; head: MaskedHead }>,
): Recording | null {
  const { status, headers } = head;
  if (status < 200 || status >= 300) return null;
  const kept: string[] = [];
  // Cached answers get their own content-length.
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
    if (this.#bytes <= entryBytesMax) this.#chunks.push(Buffer.from(chunk));
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

/** Copies the chunks: slices would keep the original read buffers in memory. */
function joined(chunks: readonly Buffer[], bytes: number): Buffer {
  const body = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(body, at);
  return body;
}

/** Some upstreams report an error with status 200, some of them in an object with other members. */
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
