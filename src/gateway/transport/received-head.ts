// A parsed request head, which recognises the next one of its connection if only the length of the body differs. Clients
// repeat their heads, so most of them need no parsing and share these strings.

import { colon, digit, isBlank, isNamed, lineFeed } from './field-bytes.ts';
import { fieldIn } from './header-policy.ts';
import { hasField, lengthDigitsMax, rawFields } from './request-head.ts';
import type { StrictHead } from './request-head.ts';

/** A longer head is parsed each time, because every connection keeps its last one. */
const keptBytesMax = 2 * 1024;
/** The heads of a connection have similar lengths. */
const memoryBytesMin = 512;
/** Bounds the values that rules asked for. */
const askedMax = 64;

const lengthName = 'content-length';

export class ReceivedHead {
  readonly method: StrictHead['method'];
  /** Without the query. */
  readonly path: string;
  readonly own: readonly string[];
  readonly forwarded: readonly string[];
  readonly isLast: boolean;
  /** Those of the request that was recognised last. */
  bodyBytes: number;
  bodyAt: number;
  /** A later request of the connection had the same head. */
  isRepeated = false;
  readonly #memory: Buffer;
  readonly #bytes: Buffer;
  readonly #fieldsAt: number;
  /** The bytes before and after the body's length. All are after it if there is none. */
  readonly #start: Buffer;
  readonly #end: Buffer;
  readonly #hasLength: boolean;
  readonly #asked = new Map<string, string | undefined>();

  /**
   * `from` is the offset of the head in the bytes, which are copied. `previous` is the head of an earlier request that
   * has ended, whose memory is used again.
   */
  constructor(head: StrictHead, bytes: Buffer, from: number, previous: ReceivedHead | null = null) {
    const query = head.target.indexOf('?');
    this.method = head.method;
    this.path = query === -1 ? head.target : head.target.slice(0, query);
    this.own = head.own;
    this.forwarded = head.forwarded;
    this.isLast = head.isLast;
    this.bodyBytes = head.bodyBytes;
    this.bodyAt = head.end;
    const length = head.end - from;
    const known = previous === null ? null : previous.#memory;
    // Memory of the pool would keep what else is in its block.
    this.#memory =
      known !== null && known.length >= length
        ? known
        : Buffer.allocUnsafeSlow(Math.max(length, memoryBytesMin));
    bytes.copy(this.#memory, 0, from, head.end);
    this.#bytes = this.#memory.subarray(0, length);
    this.#fieldsAt = head.fieldsAt - from;
    const lengthAt = head.method === 'POST' ? lengthOffset(this.#bytes, this.#fieldsAt) : 0;
    let lengthEnd = lengthAt;
    while (digit(this.#bytes[lengthEnd]) >= 0) lengthEnd++;
    this.#start = this.#bytes.subarray(0, lengthAt);
    this.#end = this.#bytes.subarray(lengthEnd);
    this.#hasLength = lengthEnd > lengthAt;
  }

  get isKept(): boolean {
    return this.#bytes.length <= keptBytesMax;
  }

  /** True if the same head is at `from`, except for the length. Updates `bodyBytes` and `bodyAt`. */
  isAt(bytes: Buffer, from: number): boolean {
    if (!hasAt(bytes, from, this.#start)) return false;
    const lengthAt = from + this.#start.length;
    let at = lengthAt;
    let length = 0;
    for (let value = digit(bytes[at]); value >= 0; value = digit(bytes[++at])) {
      length = length * 10 + value;
    }
    const digits = at - lengthAt;
    // The form that the parser accepts.
    if (this.#hasLength ? digits === 0 || digits > lengthDigitsMax : digits > 0) return false;
    if (digits > 1 && digit(bytes[lengthAt]) === 0) return false;
    if (!hasAt(bytes, at, this.#end)) return false;
    this.bodyBytes = length;
    this.bodyAt = at + this.#end.length;
    this.isRepeated = true;
    return true;
  }

  /** Any field by lower-case name. Values of a repeated field are joined by commas. */
  field(name: string): string | undefined {
    const known = this.#asked.get(name);
    if (known !== undefined || this.#asked.has(name)) return known;
    const fields = this.#bytes.subarray(this.#fieldsAt);
    const value = hasField(fields, name) ? fieldIn(rawFields(fields), name) : undefined;
    if (this.#asked.size >= askedMax) this.#asked.clear();
    this.#asked.set(name, value);
    return value;
  }
}

const hasAt = (bytes: Buffer, from: number, part: Buffer): boolean => {
  const end = from + part.length;
  return end <= bytes.length && part.compare(bytes, from, end) === 0;
};

/** The offset of the first digit of the length, which the head has. */
function lengthOffset(head: Buffer, fieldsAt: number): number {
  let at = fieldsAt;
  while (!isNamed(head, at, lengthName) || head[at + lengthName.length] !== colon) {
    at = head.indexOf(lineFeed, at) + 1;
  }
  at += lengthName.length + 1;
  while (isBlank(head[at])) at++;
  return at;
}
