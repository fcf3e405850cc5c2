// Limits the open connections of a listener, in total and per address, so that one client cannot
// exhaust it. Closes and counts a connection over the limit on accept. Never closes an open
// connection to accept a new one.

import type { Server, Socket } from 'node:net';

import { networkOf } from './network.ts';

/** By the exceeded limit: connections that were closed on accept. */
export type ConnectionsRefused = { total: number; address: number };

export type ConnectionBounds = Readonly<{
  /** The total number of connections of the listener. */
  max: number;
  /** Connections of one address (IPv6: one /64 network), at most half of `max`. 0 means unlimited. */
  perAddressMax: number;
  refused: ConnectionsRefused;
  /**
   * Receives the number of closed connections, throttled so that a flood of connections does not
   * flood the log.
   */
  onRefused: (connections: number) => void;
}>;

export const connectionsPerAddressDefault = 10_000;

const reportIntervalMs = 10_000;

/**
 * Call this after the server has registered its own `connection` listener, which then receives only
 * connections within the limits.
 */
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

/**
 * Returns true and reserves a slot until the connection closes. False when all slots are in use.
 */
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
