// Reads the token counts out of the last bytes of an answer, whatever its framing (Gateway rule
// 11). The object after the last "usage" key is what counts: inside a JSON string the quotes
// would be escaped, so the key cannot be text that a model wrote.

import { scaleDecimal } from '../lib/decimal.ts';

/** The last so many bytes of an answer are kept for this. */
export const tailBytesMax = 8192;

export type ReportedUsage = Readonly<{
  promptTokens: number;
  completionTokens: number;
  /** The provider's own figure (Gateway rule 16); null when it gave none. */
  costMicros: number | null;
}>;

/**
 * Whether an answer with these fields, names and values in turn, may report usage. What somebody has said or written is no report,
 * though a text may read like one; sound and pictures hold none, and what is encoded is not read.
 */
export function mayReportUsage(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name === 'content-encoding') return false;
    if (name === 'content-type' && contentType.test(headers[index + 1] ?? '')) return false;
  }
  return true;
}

/** Whether an answer with these fields, names and values in turn, is a stream of events. */
export const isEventStream = (headers: readonly string[]): boolean =>
  (headers[headers.indexOf('content-type') + 1] ?? '').startsWith('text/event-stream');

/** Of content, not of a report. */
const contentType =
  /^(?:audio\/|image\/|video\/|application\/octet-stream|text\/(?!event-stream))/i;

/**
 * Keeps the last `tailBytesMax` bytes of what is pushed, by reference: nothing is copied until it
 * is read.
 */
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

/** Whether the stream's own mark of its end has come. */
export const endsStream = (tail: string): boolean => /data: ?\[DONE\]\s*$/.test(tail.slice(-32));

/**
 * Null when no usage was reported. What is priced by something else than tokens (a transcription by
 * seconds, a rerank by searches) reports none. Cohere counts under another key than all others.
 */
export const readUsage = (tail: string): ReportedUsage | null =>
  readLast(tail, '"usage"') ?? readLast(tail, '"billed_units"');

function readLast(tail: string, key: string): ReportedUsage | null {
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

/** The text of the object that follows `: `, or null. */
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

function readReport(object: string): ReportedUsage | null {
  let usage: unknown;
  try {
    usage = JSON.parse(object);
  } catch {
    return null;
  }
  if (!isReport(usage)) return null;
  const prompt = readCount(usage, 'prompt_tokens') ?? readCount(usage, 'input_tokens');
  const completion = readCount(usage, 'completion_tokens') ?? readCount(usage, 'output_tokens');
  // Of what only reads, such as an embedding or a rerank, some give the total alone.
  const read = completion === null ? (prompt ?? readCount(usage, 'total_tokens')) : prompt;
  if (read === null && completion === null) return null;
  return {
    promptTokens: read ?? 0,
    completionTokens: completion ?? 0,
    costMicros: costMicrosOf(usage['cost']),
  };
}

type Report = Readonly<Record<string, unknown>>;

const isReport = (value: unknown): value is Report => typeof value === 'object' && value !== null;

/** A count that no honest upstream could give is no count. */
function readCount(usage: Report, name: string): number | null {
  const value = usage[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** `cost` is in whole units, as a provider gave it; null for what is no amount. */
export function costMicrosOf(cost: unknown): number | null {
  if (typeof cost !== 'number' || !(cost >= 0)) return null;
  // A double times a million may fall to the wrong side of a half (Gateway rule 16).
  const micros = Number(scaleDecimal(String(cost), 6) ?? Infinity);
  return Number.isSafeInteger(micros) ? micros : null;
}
