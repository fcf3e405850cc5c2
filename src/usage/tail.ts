// Reads the token counts from the last bytes of an answer, in any framing (Gateway rule 11). The object after the last
// "usage" key counts. The key cannot be model output, because quotes inside a JSON string are escaped.

import type { UsageReport } from './counts.ts';
import { isGiven, readName } from './dialects/field.ts';
import type { Given } from './dialects/field.ts';
import { readReport } from './read-report.ts';
import { objectAfter, textBeside } from './scan-json.ts';

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

const initialBytes = 512;

/** Keeps the last `tailBytesMax` bytes that were pushed. */
export class Tail {
  /** An answer of one chunk, which is not copied. */
  #whole: Buffer | null = null;
  #bytes: Buffer = nothing;
  #length = 0;

  /** After the last chunk, the text must be read before the memory of the chunk is reused. */
  push(chunk: Buffer, isLast = false): void {
    if (isLast && this.#length === 0) {
      this.#whole = chunk;
      return;
    }
    const from = Math.max(0, chunk.length - tailBytesMax);
    this.#makeRoom(chunk.length - from);
    this.#length += chunk.copy(this.#bytes, this.#length, from);
  }

  text(): string {
    const bytes = this.#whole ?? this.#bytes;
    const end = this.#whole?.length ?? this.#length;
    return bytes.toString('latin1', Math.max(0, end - tailBytesMax), end);
  }

  /** Moves bytes rarely, because the memory holds twice as many as are kept. */
  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const kept = Math.min(this.#length, tailBytesMax);
    const from = this.#length - kept;
    const needed = Math.max(initialBytes, 2 * (kept + bytes));
    const capacity = Math.min(2 * tailBytesMax, needed);
    const memory = capacity > this.#bytes.length ? Buffer.allocUnsafeSlow(capacity) : this.#bytes;
    this.#bytes.copy(memory, 0, from, this.#length);
    this.#bytes = memory;
    this.#length = kept;
  }
}

const nothing = Buffer.alloc(0);

/** True when the end marker of the stream has arrived. */
export const endsStream = (tail: string): boolean => /data: ?\[DONE\]\s*$/.test(tail.slice(-32));

/**
 * Null when no usage was reported. Endpoints that price by searches report none. Gemini and Cohere
 * use their own keys.
 */
export const readUsage = (tail: string): UsageReport | null =>
  readLast(tail, '"usage"') ??
  readLast(tail, '"usageMetadata"') ??
  readLast(tail, '"billed_units"');

function readLast(tail: string, key: string): UsageReport | null {
  for (let at = tail.lastIndexOf(key); at !== -1;) {
    const object = objectAfter(tail, at + key.length);
    const usage = object === null ? null : parseObject(object);
    const report = readReport(usage);
    if (report !== null) return withTier(report, tail, at);
    at = at === 0 ? -1 : tail.lastIndexOf(key, at - 1);
  }
  return null;
}

function parseObject(text: string): Given | null {
  try {
    const value: unknown = JSON.parse(text);
    return isGiven(value) ? value : null;
  } catch {
    return null;
  }
}

/** OpenAI reports the tier next to the usage, and not in it. */
function withTier(report: UsageReport, tail: string, at: number): UsageReport {
  if (report.serviceTier !== null) return report;
  if (tail.length <= searchedMax && !tail.includes(tierKey)) return report;
  const serviceTier = readName(textBeside(tail, at, tierKey));
  return serviceTier === null ? report : { ...report, serviceTier };
}

/** Reading the object takes less time than searching a longer text, and more than searching a shorter one. */
const searchedMax = 2048;

const tierKey = '"service_tier"';
