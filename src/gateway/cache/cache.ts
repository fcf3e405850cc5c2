// The response cache (Gateway rule 9): answers of models with a time to live, in memory, with LRU
// eviction. A new configuration version empties it, and answers to requests of the old version are
// not stored.

import type { ProviderId } from '../../lib/ids.ts';
import type { Counts } from '../../telemetry/metrics.ts';
import type { UsageReport } from '../../usage/counts.ts';
import type { CacheKey } from './cache-key.ts';

export type CacheBounds = Readonly<{ entriesMax: number; bytesMax: number }>;

export const cacheBoundsDefault: CacheBounds = { entriesMax: 4096, bytesMax: 64 * 1024 * 1024 };

/** Larger answers are not stored, because a few of them would evict all others. */
export const entryBytesMax = 512 * 1024;
/** The approximate memory of an entry without its texts and body. */
const entryOverheadBytes = 256;
/** The minimum time between two removals of expired entries. */
const sweepMs = 1000;

export type CachedAnswer = Readonly<{
  status: number;
  /** Those that the client may see: alternating names and values. */
  headers: readonly string[];
  body: Buffer;
  /** The usage that the upstream reported for this answer. */
  usage: UsageReport | null;
  providerId: ProviderId;
}>;

type Entry = Readonly<{ answer: CachedAnswer; bytes: number; expiresAtMs: number }>;

export class ResponseCache {
  bytes = 0;
  /** In order of last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #bounds: CacheBounds;
  readonly #counts: Counts['cache'];
  #edition = '';
  #sweptAtMs = -Infinity;

  constructor(bounds: CacheBounds, counts: Counts['cache']) {
    this.#bounds = bounds;
    this.#counts = counts;
  }

  get entries(): number {
    return this.#entries.size;
  }

  /** Empties the cache unless it already serves this edition. */
  serve(edition: string): void {
    if (edition === this.#edition) return;
    this.#edition = edition;
    this.empty();
  }

  empty(): void {
    this.#entries.clear();
    this.bytes = 0;
  }

  /** `nowMs` is monotonic. */
  find(cacheKey: CacheKey, nowMs: number): CachedAnswer | null {
    const entry = cacheKey.edition === this.#edition ? this.#entries.get(cacheKey.key) : undefined;
    if (entry !== undefined) this.#drop(cacheKey.key, entry);
    if (entry === undefined || entry.expiresAtMs <= nowMs) {
      this.#counts.miss++;
      return null;
    }
    this.#add(cacheKey.key, entry);
    this.#counts.hit++;
    return entry.answer;
  }

  store(cacheKey: CacheKey, answer: CachedAnswer, nowMs: number): void {
    const { entriesMax, bytesMax } = this.#bounds;
    const bytes = sizeOf(cacheKey.key, answer);
    if (cacheKey.edition !== this.#edition || entriesMax === 0) return;
    if (bytes > entryBytesMax || bytes > bytesMax) return;
    const replaced = this.#entries.get(cacheKey.key);
    if (replaced !== undefined) this.#drop(cacheKey.key, replaced);
    if (!this.#fits(bytes)) this.#sweep(nowMs);
    for (const [key, entry] of this.#entries) {
      if (this.#fits(bytes)) break;
      this.#drop(key, entry);
    }
    this.#add(cacheKey.key, { answer, bytes, expiresAtMs: nowMs + cacheKey.ttlMs });
    this.#counts.store++;
  }

  #fits(bytes: number): boolean {
    const { entriesMax, bytesMax } = this.#bounds;
    return this.#entries.size < entriesMax && this.bytes + bytes <= bytesMax;
  }

  /** Removes expired entries before live ones are evicted. */
  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptAtMs < sweepMs) return;
    this.#sweptAtMs = nowMs;
    for (const [key, entry] of this.#entries)
      if (entry.expiresAtMs <= nowMs) this.#drop(key, entry);
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.bytes += entry.bytes;
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.bytes -= entry.bytes;
  }
}

function sizeOf(key: string, { headers, body }: CachedAnswer): number {
  let bytes = entryOverheadBytes + key.length + body.length;
  for (const text of headers) bytes += text.length;
  return bytes;
}
