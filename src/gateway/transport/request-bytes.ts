// Writes the head of an upstream request. Refuses invalid characters.

import type { UpstreamRequest } from './boundary.ts';

const invalidInPath = /[^\x21-\x7e]/;
const invalidInName = /[^!#$%&'*+.^`|~\w-]/;
const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** The head with its empty line. Null when a character could start another line. */
export function requestHead(host: string, request: UpstreamRequest): string | null {
  const { path, headers, body } = request;
  if (invalidInPath.test(path)) return null;
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  // All names, and all values, are checked together, because a check of each takes longer than writing it.
  let names = '';
  let values = '';
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    names += name;
    values += value;
    head += `${name}: ${value}\r\n`;
  }
  if (invalidInName.test(names) || invalidInValue.test(values)) return null;
  return `${head}content-length: ${lengthOf(body)}\r\n\r\n`;
}

export function lengthOf(pieces: readonly Buffer[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}
