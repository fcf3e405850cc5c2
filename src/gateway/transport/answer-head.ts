// Writes the head of an answer, with the headers that Node's server adds: the date, and the keep-alive state and timeout.
// Invalid header values throw, as in Node.

import { STATUS_CODES } from 'node:http';

import type { Clock } from '../../lib/clock.ts';
import type { FlatHeaders } from './boundary.ts';

/** Marks the end of the body. `empty` means that there is no body, regardless of the headers. */
export type AnswerFraming = 'length' | 'chunked' | 'empty';

export type AnswerHead = (
  status: number,
  headers: FlatHeaders,
  how: Readonly<{ framing: AnswerFraming; isKeepAlive: boolean }>,
) => string;

const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/;
const notAllowed = 'contains a character that headers do not allow';

/** The name of the first header with an invalid value. */
const invalidName = (headers: FlatHeaders): string | undefined =>
  headers.find((_, index) => index % 2 === 0 && invalidInValue.test(headers[index + 1] ?? ''));

/** The result is Latin-1 and includes the empty line. The date is formatted once per second. */
export function createAnswerHead(now: Clock, keepAliveMs: number): AnswerHead {
  const keepAliveFields = `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
  let second = -1;
  let keepAlive = '';
  let close = '';
  const renderEnds = (nowMs: number): void => {
    const atSecond = Math.floor(nowMs / 1000);
    if (atSecond === second) return;
    second = atSecond;
    const date = `date: ${new Date(nowMs).toUTCString()}\r\n`;
    keepAlive = `${date}${keepAliveFields}`;
    close = `${date}connection: close\r\n`;
  };
  return (status, headers, { framing, isKeepAlive }) => {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    let values = '';
    for (let index = 0; index < headers.length; index += 2) {
      const value = headers[index + 1] ?? '';
      values += value;
      head += `${headers[index] ?? ''}: ${value}\r\n`;
    }
    if (invalidInValue.test(values))
      throw new TypeError(`header ${invalidName(headers)} ${notAllowed}`);
    renderEnds(now());
    head += isKeepAlive ? keepAlive : close;
    return framing === 'chunked' ? `${head}transfer-encoding: chunked\r\n\r\n` : `${head}\r\n`;
  };
}

/** `length` is the content-length, or null. */
export function framingOf(status: number, length: number | null): AnswerFraming {
  if (status === 204 || status === 304) return 'empty';
  return length === null ? 'chunked' : 'length';
}

/** The content-length, or null. */
export function lengthIn(headers: FlatHeaders): number | null {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === 'content-length') return Number(headers[index + 1]);
  }
  return null;
}
