// Manages the connections that the gateway parses itself. They are taken from a Node server on accept, and handed back to
// it when an unusual request arrives.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { createAnswerHead } from './answer-head.ts';
import { createBodyMemory } from './body-memory.ts';
import type { Exchange } from './boundary.ts';
import { writeBytes } from './connection.ts';
import type { ExchangeContext } from './exchange-context.ts';
import { RawConnection } from './raw-connection.ts';
import type { RawConnectionContext } from './raw-connection.ts';
import type { MalformedAnswer } from './raw-refusal.ts';
import { createSharedReader } from './shared-read.ts';

export type RawConnections = Readonly<{ closeIdle: () => void; closeAll: () => void }>;

export const noRawConnections: RawConnections = { closeIdle: () => {}, closeAll: () => {} };

export type RawOptions = Readonly<{
  context: ExchangeContext;
  handle: (exchange: Exchange) => void;
  malformedAnswer: (message: string) => MalformedAnswer;
  limits: Readonly<{ requestMs: number; headersMs: number; keepAliveMs: number }>;
}>;

/** Node's server keeps an idle connection this much longer than it announces, to avoid closing it during a request. */
const keepAliveMarginMs = 1000;

/** The server still counts, limits and closes its connections. The returned functions close those that are parsed here. */
export function acceptRaw(server: Server, options: RawOptions): RawConnections {
  const [nodeAccepts, ...others] = server.listeners('connection');
  if (nodeAccepts === undefined || others.length > 0) {
    throw new Error('expected exactly one connection listener on the node:http server');
  }
  const { handle, malformedAnswer, limits } = options;
  const { watch, now, slowReaderMs } = options.context;
  const open = new Set<RawConnection>();
  const context: RawConnectionContext = {
    exchange: {
      ...options.context,
      answerHead: createAnswerHead(now, limits.keepAliveMs),
      bodyMemory: createBodyMemory(),
    },
    handle,
    handOver: (socket) => void Reflect.apply(nodeAccepts, server, [socket]),
    malformedAnswer,
    onGone: (connection) => void open.delete(connection),
    read: createSharedReader(),
    scratch: { writeBytes: Buffer.allocUnsafeSlow(writeBytes) },
    ticks: {
      request: watch.ticks(limits.requestMs),
      headers: watch.ticks(limits.headersMs),
      keepAlive: watch.ticks(limits.keepAliveMs + keepAliveMarginMs),
      slowReader: watch.ticks(slowReaderMs),
    },
  };
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => void open.add(new RawConnection(socket, context)));
  return {
    closeIdle: () => {
      for (const connection of open) if (connection.isIdle) connection.destroy();
    },
    closeAll: () => {
      for (const connection of open) connection.destroy();
    },
  };
}
