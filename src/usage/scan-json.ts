// Finds members in a part of a JSON text, such as the last bytes of an answer, without parsing all.

const quote = 0x22;
const backslash = 0x5c;

/** The text of the object after `: `, or null. */
export function objectAfter(text: string, from: number): string | null {
  const open = /^\s*:\s*\{/.exec(text.slice(from, from + 32));
  if (open === null) return null;
  const start = from + open[0].length - 1;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (opens(unit)) depth++;
    else if (closes(unit) && --depth === 0) return text.slice(start, at + 1);
  }
  return null;
}

/**
 * The text value of `key`, which includes its quotes, in the object that also has the key at `at`.
 * Null if this part of the text has none. Members of other objects do not count, because clients
 * choose the members of some of them.
 */
export const textBeside = (text: string, at: number, key: string): string | null =>
  textAfter(text, at, key) ?? textBefore(text, at, key);

/**
 * True if the text at `at` is in an entry of the list of this name, which includes its quotes. A
 * list that begins before this part of the text has any name.
 */
export function isInList(text: string, at: number, name: string): boolean {
  const entry = startAround(text, at);
  const list = entry === -1 ? -1 : startAround(text, entry);
  if (list === -1)
    return /\}\s*,\s*$/.test(text.slice(Math.max(0, entry - 32), Math.max(0, entry)));
  const before = text.slice(Math.max(0, list - 128), list);
  return text[list] === '[' && before.replace(/\s*:\s*$/, '').endsWith(name);
}

/** The start of the innermost object or array around `from`. -1 if this part of the text lacks it. */
function startAround(text: string, from: number): number {
  let depth = 0;
  for (let at = from - 1; at >= 0; at--) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = startOfString(text, at);
    else if (closes(unit)) depth++;
    else if (opens(unit) && --depth < 0) return at;
  }
  return -1;
}

function textBefore(text: string, from: number, key: string): string | null {
  let depth = 0;
  for (let at = from - 1; at >= 0; at--) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      at = startOfString(text, at);
      const value = depth === 0 ? valueOf(text, at, key) : null;
      if (value !== null) return value;
    } else if (closes(unit)) depth++;
    else if (opens(unit) && --depth < 0) return null;
  }
  return null;
}

function textAfter(text: string, from: number, key: string): string | null {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      const value = depth === 0 ? valueOf(text, at, key) : null;
      if (value !== null) return value;
      at = endOfString(text, at);
    } else if (opens(unit)) depth++;
    else if (closes(unit) && --depth < 0) return null;
  }
  return null;
}

/** The text that follows the key at `at`. Null if another key or value is there. */
function valueOf(text: string, at: number, key: string): string | null {
  if (at < 0 || !text.startsWith(key, at)) return null;
  const after = text.slice(at + key.length, at + key.length + 128);
  return /^\s*:\s*"([^"\\]*)"/.exec(after)?.[1] ?? null;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === quote) return at;
  }
  return text.length;
}

/** -1 if the string begins before this part of the text. */
function startOfString(text: string, from: number): number {
  for (let at = from - 1; at >= 0; at--) {
    at = text.lastIndexOf('"', at);
    if (at === -1) return -1;
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

const opens = (unit: number): boolean => unit === 0x7b || unit === 0x5b;
const closes = (unit: number): boolean => unit === 0x7d || unit === 0x5d;
