// Reads the token counts from the last bytes of an answer, in any framing (Gateway rule 11). The object after the last
// "usage" key counts. The key cannot be model output, because quotes inside a JSON string are escaped.

import { scaleDecimal } from '../lib/decimal.ts';
import { totalsOnly } from './counts.ts';
import type { UsageReport } from './counts.ts';

/** The number of bytes at the end of an answer that are kept. */
export const tailBytesMax = 8192;

/**
 * True when an answer with these headers (names and values in turn) can report usage. Plain text is content and not a
 * report, even if it looks like one. Audio and images contain none, and encoded bodies are not decoded.
 */
export function mayReportUsage(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name === 'content-encoding') return false;
    if (name === 'content-type' && contentType.test(headers[index + 1] ?? '')) return false;
  }
  return true;
}

/** True when these headers (names and values in turn) describe an event stream. */
export const isEventStream = (headers: readonly string[]): boolean =>
  (headers[headers.indexOf('content-type') + 1] ?? '').startsWith('text/event-stream');

/** Content types that never contain a usage report. */
const contentType =
  /^(?:audio\/|image\/|video\/|application\/octet-stream|text\/(?!event-stream))/i;

/** Keeps the last `tailBytesMax` bytes that were pushed, by reference. Nothing is copied before it is read. */
export class Tail {
  #chunks: Buffer[] = [];
  #first = 0;
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      const oldest = this.#chunks[this.#first];
      if (oldest === undefined || this.#bytes - oldest.length < tailBytesMax) break;
      this.#bytes -= oldest.length;
      this.#first++;
    }
    if (this.#first >= 64) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
  }

  text(): string {
    const kept = this.#first === 0 ? this.#chunks : this.#chunks.slice(this.#first);
    const [only] = kept;
    const bytes = kept.length === 1 && only !== undefined ? only : Buffer.concat(kept);
    return bytes.toString('latin1', Math.max(0, bytes.length - tailBytesMax));
  }
}

/** True when the end marker of the stream has arrived. */
export const endsStream = (tail: string): boolean => /data: ?\[DONE\]\s*$/.test(tail.slice(-32));

/**
 * Null when no usage was reported. Endpoints that price by other units (seconds of a transcription, searches of a
 * rerank) report none. Cohere uses its own key.
 */
export const readUsage = (tail: string): UsageReport | null =>
  readLast(tail, '"usage"') ?? readLast(tail, '"billed_units"');

function readLast(tail: string, key: string): UsageReport | null {
  for (let at = tail.lastIndexOf(key); at !== -1;) {
    const object = objectAfter(tail, at + key.length);
    const usage = object === null ? null : readReport(object);
    if (usage !== null) return usage;
    at = at === 0 ? -1 : tail.lastIndexOf(key, at - 1);
  }
  return null;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The text of the object after `: `, or null. */
function objectAfter(text: string, from: number): string | null {
  const open = /^\s*:\s*\{/.exec(text.slice(from, from + 32));
  if (open === null) return null;
  const start = from + open[0].length - 1;
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isInString) {
      if (unit === backslash) at++;
      else if (unit === quote) isInString = false;
    } else if (unit === quote) isInString = true;
    else if (unit === openBrace) depth++;
    else if (unit === closeBrace && --depth === 0) return text.slice(start, at + 1);
  }
  return null;
}

function readReport(object: string): UsageReport | null {
  let usage: unknown;
  try {
    usage = JSON.parse(object);
  } catch {
    return null;
  }
  if (!isReport(usage)) return null;
  const prompt = readCount(usage, 'prompt_tokens') ?? readCount(usage, 'input_tokens');
  const completion = readCount(usage, 'completion_tokens') ?? readCount(usage, 'output_tokens');
  // Embedding and rerank endpoints may report only a total.
  const read = completion === null ? (prompt ?? readCount(usage, 'total_tokens')) : prompt;
  if (read === null && completion === null) return null;
  return {
    ...totalsOnly({ promptTokens: read ?? 0, completionTokens: completion ?? 0 }),
    costMicros: costMicrosOf(usage['cost']),
  };
}

type Report = Readonly<Record<string, unknown>>;

const isReport = (value: unknown): value is Report => typeof value === 'object' && value !== null;

/** Null for a count that cannot be valid. */
function readCount(usage: Report, name: string): number | null {
  const value = usage[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** `cost` is in whole units as the provider reported it. Null when it is not an amount. */
export function costMicrosOf(cost: unknown): number | null {
  if (typeof cost !== 'number' || !(cost >= 0)) return null;
  // A double multiplied by a million can fall on the wrong side of a half (Gateway rule 16).
  const micros = Number(scaleDecimal(String(cost), 6) ?? Infinity);
  return Number.isSafeInteger(micros) ? micros : null;
}
