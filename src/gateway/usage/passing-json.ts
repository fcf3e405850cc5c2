// Reads strings at known places of a JSON text while its bytes pass, in chunks of any size. The rest is skipped without
// creating values. Expects valid JSON.

import { skipString } from '../body/json-scan.ts';

/** The value of a member or entry, and which of the values in it matter. */
export type Place = Readonly<{
  name: string;
  /** The members of an object. */
  members?: Readonly<Record<string, Place>>;
  /** The place of each entry of an array. */
  entries?: Place;
}>;

/** A value that is repeated replaces the earlier one, as with JSON.parse. */
export type PlaceVisitor = Readonly<{
  begin(name: string): void;
  /** Strings of more than `textBytesMax` are given as null. */
  text(name: string, text: string | null): void;
  /** The end of an object or array. */
  end(name: string): void;
}>;

/** No string whose content matters is longer. */
export const textBytesMax = 64;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

type Container = Readonly<{ place: Place; isArray: boolean }>;

export class PassingJson {
  readonly #root: Place;
  readonly #visitor: PlaceVisitor;
  /** The open objects and arrays that have places. */
  readonly #open: Container[] = [];
  /** The number of objects and arrays that are open inside the last one and have no places. */
  #skipped = 0;
  /** The last key. Null if it cannot be one of a place. */
  #key: string | null = null;
  /** The place of the member whose value follows. */
  #member: Place | null;
  #isInString = false;
  /** The part of the string that has passed. Null if it is not needed or too long. */
  #text: string | null = null;
  #isEscaped = false;
  #isIgnored = false;

  constructor(root: Place, visitor: PlaceVisitor) {
    this.#root = root;
    this.#visitor = visitor;
    this.#member = root;
  }

  /** Forgets an unfinished text, and expects another one. */
  restart(): void {
    this.#open.length = 0;
    this.#skipped = 0;
    this.#member = this.#root;
    this.#isInString = false;
    this.#isIgnored = false;
  }

  /** Ignores the rest of this text. */
  ignore(): void {
    this.#isIgnored = true;
  }

  push(bytes: Buffer, from: number, end: number): void {
    let at = this.#isInString && !this.#isIgnored ? this.#passString(bytes, from, end) : from;
    while (at < end && !this.#isIgnored) {
      const byte = bytes[at];
      if (byte === quote) {
        this.#isInString = true;
        this.#isEscaped = false;
        this.#text = this.#skipped === 0 ? '' : null;
        at = this.#passString(bytes, at + 1, end);
        continue;
      }
      at++;
      if (byte === openBrace || byte === openBracket) this.#begin(byte === openBracket);
      else if (byte === closeBrace || byte === closeBracket) this.#end();
      else if (this.#skipped > 0) continue;
      else if (byte === colon) this.#follow();
      else if (byte === comma) this.#member = null;
    }
  }

  #begin(isArray: boolean): void {
    const place = this.#skipped > 0 ? null : this.#placeHere();
    if (place === null || (isArray ? place.entries : place.members) === undefined) {
      this.#skipped++;
      return;
    }
    if (place === this.#open.at(-1)?.place.entries) this.#visitor.begin(place.name);
    this.#open.push({ place, isArray });
    this.#member = null;
  }

  #end(): void {
    if (this.#skipped > 0) this.#skipped--;
    else {
      const closed = this.#open.pop();
      this.#member = null;
      if (closed !== undefined) this.#visitor.end(closed.place.name);
    }
  }

  #placeHere(): Place | null {
    const container = this.#open.at(-1);
    return container?.isArray === true ? (container.place.entries ?? null) : this.#member;
  }

  /** The value of the last key follows. */
  #follow(): void {
    const members = this.#open.at(-1)?.place.members;
    const key = this.#key;
    if (members === undefined || key === null || !Object.hasOwn(members, key)) return;
    this.#member = members[key] ?? null;
    if (this.#member !== null) this.#visitor.begin(this.#member.name);
  }

  /** Returns the offset after the string, or `end`. */
  #passString(bytes: Buffer, from: number, end: number): number {
    const start = this.#isEscaped ? from + 1 : from;
    const after = start >= end ? -1 : skipString(bytes, start - 1);
    const isOver = after !== -1 && after <= end;
    const stop = isOver ? after - 1 : end;
    if (this.#text !== null) {
      const isShort = this.#text.length + stop - from <= textBytesMax;
      this.#text = isShort ? this.#text + bytes.toString('latin1', from, stop) : null;
    }
    if (!isOver) {
      this.#isEscaped = start > end || endsEscaped(bytes, start, end);
      return end;
    }
    this.#isInString = false;
    if (this.#skipped === 0) this.#endString();
    return after;
  }

  #endString(): void {
    const text = this.#text === null ? null : unescaped(this.#text);
    const place = this.#placeHere();
    if (place === null) this.#key = text;
    else this.#visitor.text(place.name, text);
  }
}

/** True if the byte after `end` is escaped. No byte at or after `from` is the second one of an escape sequence. */
function endsEscaped(bytes: Buffer, from: number, end: number): boolean {
  let at = end;
  while (at > from && bytes[at - 1] === backslash) at--;
  return (end - at) % 2 === 1;
}

/** Null if an escape sequence is not valid. */
function unescaped(text: string): string | null {
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return null;
  }
}
