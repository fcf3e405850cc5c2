// Runs upstreams that send raw bytes and then close, reset, wait or stop sending.

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { completion, delta, frame } from '../harness/upstream/upstream.ts';

export type Asked = 'json' | 'stream';

/** The behaviour of an upstream for the request with index `turn` on a connection. */
export type Play = (socket: Socket, asked: Asked, turn: number) => void;

const jsonBody = JSON.stringify(completion);
const streamBody = `${delta('a')}${delta('b')}data: [DONE]\n\n`;
export const bodies: Readonly<Record<Asked, string>> = { json: jsonBody, stream: streamBody };
const types: Readonly<Record<Asked, string>> = {
  json: 'application/json',
  stream: 'text/event-stream',
};

export const head = (asked: Asked, ...fields: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `content-type: ${types[asked]}`, ...fields, '', ''].join('\r\n');
export const whole = (asked: Asked): string =>
  head(asked, `content-length: ${bodies[asked].length}`) + bodies[asked];
export const half = (asked: Asked): string => bodies[asked].slice(0, bodies[asked].length >> 1);
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
export const chunkedHead = (asked: Asked): string => head(asked, 'transfer-encoding: chunked');

type Text = string | ((asked: Asked) => string);
const textOf = (text: Text, asked: Asked): string =>
  typeof text === 'string' ? text : text(asked);
export const says =
  (text: Text): Play =>
  (socket, asked) =>
    void socket.write(textOf(text, asked), 'latin1');
export const saysAndEnds =
  (text: Text): Play =>
  (socket, asked) =>
    void socket.end(textOf(text, asked), 'latin1');
/** Data written before a reset may be lost, so the reset follows once the data was read. */
export const saysAndResets =
  (text: Text): Play =>
  (socket, asked) => {
    socket.write(textOf(text, asked), 'latin1');
    setTimeout(() => socket.resetAndDestroy(), 40);
  };

export function dribbles(pieces: (asked: Asked) => readonly string[], pauseMs: number): Play {
  return (socket, asked) => {
    const left = [...pieces(asked)];
    const timer = setInterval(() => {
      const piece = left.shift();
      if (piece === undefined || socket.destroyed) clearInterval(timer);
      else socket.write(piece, 'latin1');
    }, pauseMs);
  };
}

export const answersWith =
  (status: number, ...fields: readonly string[]): Play =>
  (socket) => {
    const text = '{"error":{"message":"said upstream"}}';
    const isEmpty = status === 204 || status === 205 || status === 304;
    const lines = isEmpty ? fields : [...fields, 'content-type: application/json'];
    const length = `content-length: ${isEmpty ? 0 : text.length}`;
    const withLength = status === 204 || status === 304 ? lines : [...lines, length];
    const start = [`HTTP/1.1 ${status} Said`, ...withLength, '', ''].join('\r\n');
    socket.write(isEmpty ? start : start + text);
  };

export const refusesUnread: Play = (socket, asked, turn) => {
  socket.pause();
  answersWith(413)(socket, asked, turn);
  setTimeout(() => socket.destroy(), 40);
};

export const gzipped = gzipSync(jsonBody);
export const errorIn200 = (error: unknown): string => {
  const text = JSON.stringify({ error });
  return head('json', `content-length: ${text.length}`) + text;
};
export const errorFrame = frame({ error: { message: 'said upstream', code: 500 } });
