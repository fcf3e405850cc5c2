// Writes the heads of upstream requests. Refuses invalid characters.

import type { UpstreamRequest } from './boundary.ts';

const invalidInPath = /[^\x21-\x7e]/;
const invalidInName = /[^!#$%&'*+.^`|~\w-]/;
const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/;

export class RequestHeads {
  /** The lines of headers that other requests may send again. Null for invalid ones. */
  readonly #lines = new WeakMap<readonly string[], string | null>();

  /** The head with its empty line. Null when a character could start another line. */
  head(host: string, request: UpstreamRequest): string | null {
    const { path, headers, isRepeated, ownHeaders, body } = request;
    if (invalidInPath.test(path)) return null;
    const lines = isRepeated ? this.#linesOnce(headers) : linesOf(headers);
    const own = linesOf(ownHeaders);
    if (lines === null || own === null) return null;
    return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${lines}${own}content-length: ${lengthOf(body)}\r\n\r\n`;
  }

  #linesOnce(headers: readonly string[]): string | null {
    let lines = this.#lines.get(headers);
    if (lines === undefined) {
      lines = linesOf(headers);
      this.#lines.set(headers, lines);
    }
    return lines;
  }
}

function linesOf(headers: readonly string[]): string | null {
  let lines = '';
  // All names, and all values, are checked together, because a check of each takes longer than writing it.
  let names = '';
  let values = '';
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    names += name;
    values += value;
    lines += `${name}: ${value}\r\n`;
  }
  return invalidInName.test(names) || invalidInValue.test(values) ? null : lines;
}

export function lengthOf(pieces: readonly Buffer[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}
