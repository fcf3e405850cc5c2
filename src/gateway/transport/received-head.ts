// A parsed request head, which recognises the next one of its connection if only the length of the body differs. Clients
// repeat their heads, so most of them need no parsing and share these strings.

import { colon, digit, isBlank, isNamed, lineFeed } from './field-bytes.ts';
import { fieldIn } from './header-policy.ts';
import { hasField, lengthDigitsMax, rawFields } from './request-head.ts';
import type { StrictHead } from './request-head.ts';

/** A longer head is parsed each time, because every connection keeps its last one. */
const keptBytesMax = 2 * 1024;
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
  readonly #bytes: Buffer;
  readonly #fieldsAt: number;
  /** The offsets of the body's length. Equal without one. */
  readonly #lengthAt: number;
  readonly #lengthEnd: number;
  readonly #asked = new Map<string, string | undefined>();

  /** `from` is the offset of the head in the bytes, which are copied. */
  constructor(head: StrictHead, bytes: Buffer, from: number) {
    const query = head.target.indexOf('?');
    this.method = head.method;
    this.path = query === -1 ? head.target : head.target.slice(0, query);
    this.own = head.own;
    this.forwarded = head.forwarded;
    this.isLast = head.isLast;
    this.bodyBytes = head.bodyBytes;
    this.bodyAt = head.end;
    this.#bytes = Buffer.from(bytes.subarray(from, head.end));
    this.#fieldsAt = head.fieldsAt - from;
    this.#lengthAt = head.method === 'POST' ? lengthOffset(this.#bytes, this.#fieldsAt) : 0;
    this.#lengthEnd = this.#lengthAt;
    while (digit(this.#bytes[this.#lengthEnd]) >= 0) this.#lengthEnd++;
  }

  get isKept(): boolean {
    return this.#bytes.length <= keptBytesMax;
  }

  /** True if the same head is at `from`, except for the length. Updates `bodyBytes` and `bodyAt`. */
  isAt(bytes: Buffer, from: number): boolean {
    const own = this.#bytes;
    const lengthAt = this.#lengthAt;
    for (let index = 0; index < lengthAt; index++) {
      if (bytes[from + index] !== own[index]) return false;
    }
    let at = from + lengthAt;
    let length = 0;
    for (let value = digit(bytes[at]); value >= 0; value = digit(bytes[++at])) {
      length = length * 10 + value;
    }
    const digits = at - from - lengthAt;
    const hasLength = this.#lengthEnd > lengthAt;
    // The form that the parser accepts.
    if (hasLength ? digits === 0 || digits > lengthDigitsMax : digits > 0) return false;
    if (digits > 1 && digit(bytes[from + lengthAt]) === 0) return false;
    for (let index = this.#lengthEnd; index < own.length; index++, at++) {
      if (bytes[at] !== own[index]) return false;
    }
    this.bodyBytes = length;
    this.bodyAt = at;
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
