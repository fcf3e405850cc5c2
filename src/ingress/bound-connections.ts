// Bounds the open connections of a listener, in all and for each address, so that one client cannot keep the others out. A connection
// beyond a bound is closed as soon as it is accepted, and counted. Open connections are never closed for a new one.

import type { Server, Socket } from 'node:net';

import { networkOf } from './network.ts';

/** Counts the connections that were closed at once, by the bound that they exceeded. */
export type ConnectionsRefused = { total: number; address: number };

export type ConnectionBounds = Readonly<{
  /** All connections of the listener. */
  max: number;
  /** Connections of one address (IPv6: of one network of 64 bits), but at most half of `max`; 0 is unlimited. */
  perAddressMax: number;
  refused: ConnectionsRefused;
  /** Told how many connections were closed, at most once in a while: a flood of them is not a flood of log lines. */
  onRefused: (connections: number) => void;
}>;

export const connectionsPerAddressDefault = 10_000;

const reportIntervalMs = 10_000;

/** Call it when the server has its own listener for connections: an accepted one reaches that listener only within the bounds. */
export function boundConnections(
  server: Server,
  { max, perAddressMax, refused, onRefused }: ConnectionBounds,
): void {
  const note = throttled(onRefused);
  server.maxConnections = max;
  server.on('drop', () => {
    refused.total++;
    note();
  });
  if (perAddressMax === 0) return;
  const takeSlot = createSlots(Math.min(perAddressMax, Math.floor(max / 2)));
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (takeSlot(socket)) {
      for (const listener of accept) Reflect.apply(listener, server, [socket]);
      return;
    }
    socket.destroy();
    refused.address++;
    note();
  });
}

/** Whether there is a place for the connection, which it has until it is closed. */
function createSlots(max: number): (socket: Socket) => boolean {
  const open = new Map<string, number>();
  return (socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    const taken = open.get(network) ?? 0;
    if (taken >= max) return false;
    open.set(network, taken + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    return true;
  };
}

function throttled(onRefused: (count: number) => void): () => void {
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  return () => {
    count++;
    if (timer !== null) return;
    onRefused(count);
    count = 0;
    timer = setTimeout(() => {
      timer = null;
      if (count > 0) onRefused(count);
      count = 0;
    }, reportIntervalMs).unref();
  };
}
