// Parses the bytes of a response twice: with our reader, and with Node's HTTP client as the oracle.
// Node's client reads from a stream instead of a socket.

import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { Duplex } from 'node:stream';

import { ResponseReader } from '../../../src/gateway/transport/response-reader.ts';

export type ReadAnswer = Readonly<{
  status: number | null;
  /** The part of the body that was received, in Latin-1. */
  body: string;
  isWhole: boolean;
}>;

/** Splits the bytes at these offsets; ignores offsets past the end. */
export function cut(bytes: Buffer, offsets: readonly number[]): readonly Buffer[] {
  const edges = [...new Set(offsets)].filter((at) => at > 0 && at < bytes.length);
  edges.sort((a, b) => a - b);
  return [0, ...edges].map((from, index) => bytes.subarray(from, edges[index]));
}

/** Reads these pieces and then the end of the connection. */
export function readByOurs(parts: readonly Buffer[]): ReadAnswer {
  const reader = new ResponseReader();
  let body = '';
  for (const part of parts) {
    // A copy, because the reader may change what it is given.
    reader.read(Buffer.from(part));
    body += reader.payload?.toString('latin1') ?? '';
    if (reader.problem !== null || reader.isComplete) break;
  }
  const isWhole = reader.problem === null && reader.close();
  return { status: reader.head?.status ?? null, body, isWhole };
}

/** The offset at which our reader sees the response end. */
export function endOfAnswer(bytes: Buffer): number {
  const reader = new ResponseReader();
  for (let at = 0; at < bytes.length; at++) {
    reader.read(Buffer.from(bytes.subarray(at, at + 1)));
    if (reader.isComplete || reader.problem !== null) return at + 1;
  }
  return bytes.length;
}

export function readByNode(parts: readonly Buffer[]): Promise<ReadAnswer> {
  const socket = new Duplex({ read() {}, write: (_, __, done) => done() });
  const asked = request({ method: 'POST', createConnection: () => socket });
  const read = answerTo(asked);
  asked.end();
  for (const part of parts) socket.push(part);
  socket.push(null);
  return read;
}

function answerTo(asked: ClientRequest): Promise<ReadAnswer> {
  return new Promise((resolve) => {
    const failed = { status: null, body: '', isWhole: false };
    asked.on('error', () => resolve(failed));
    asked.on('upgrade', () => resolve(failed));
    asked.on('response', (response) => {
      const status = response.statusCode ?? null;
      let body = '';
      const settle = (isWhole: boolean) => (): void => resolve({ status, body, isWhole });
      response.setEncoding('latin1').on('data', (text: string) => void (body += text));
      response.on('end', () => settle(response.complete)()).on('error', settle(false));
    });
  });
}
