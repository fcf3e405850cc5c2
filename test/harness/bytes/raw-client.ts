// Sends raw bytes as written and keeps the bytes that come back.

import { connect } from 'node:net';
import type { Socket } from 'node:net';

export type RawClient = Disposable &
  Readonly<{ socket: Socket; seen: { text: string; isClosed: boolean } }>;

/** Sends `text` at once. Text is in Latin-1 in both directions. */
export function openRawClient(url: string, text: string): RawClient {
  const socket = connect({ port: Number(new URL(url).port), allowHalfOpen: true });
  const seen = { text: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => (seen.text += bytes.toString('latin1')));
  for (const event of ['end', 'close']) socket.on(event, () => (seen.isClosed = true));
  socket.write(text, 'latin1');
  return { socket, seen, [Symbol.dispose]: () => void socket.destroy() };
}
