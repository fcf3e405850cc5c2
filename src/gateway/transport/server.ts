// The listener. Node accepts and limits connections. The gateway parses requests in the usual form, and Node's parser all
// others. Each becomes an exchange before its body is read.

import { once } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { boundConnections, connectionsPerAddressDefault } from '../../ingress/bound-connections.ts';
import type { ConnectionsRefused } from '../../ingress/bound-connections.ts';
import type { Exchange } from './boundary.ts';
import { HttpExchange } from './exchange.ts';
import { lingeringCloseMs } from './exchange-context.ts';
import type { ExchangeContext } from './exchange-context.ts';
import { acceptRaw, noRawConnections } from './raw-connections.ts';
import { rawRefusal } from './raw-refusal.ts';
import type { MalformedAnswer } from './raw-refusal.ts';

export type ServerOptions = Readonly<{
  host: string;
  port: number;
  context: Omit<ExchangeContext, 'onClosed' | 'isClosing' | 'slowReaderMs'>;
  handle: (exchange: Exchange) => void;
  /** For bytes that are not an HTTP request. */
  malformedAnswer: (message: string) => MalformedAnswer;
  /** Closes connections after each answer while requests are still served. */
  disablesKeepAlive: () => boolean;
  /** Receives the number of refused connections, throttled. */
  onConnectionsRefused: (connections: number) => void;
  connectionsRefused: ConnectionsRefused;
  /** Called when a connection could not be accepted. Open connections continue. */
  onFault: (error: Error) => void;
  limits?: Partial<ServerLimits>;
  /** True when Node's parser reads all requests, not only the unusual ones. */
  parsesAll?: boolean;
}>;

export type ServerLimits = Readonly<{
  requestMs: number;
  headersMs: number;
  keepAliveMs: number;
  slowReaderMs: number;
  connectionsMax: number;
  /** 0 means unlimited. */
  connectionsPerAddress: number;
}>;

const limitsDefault: ServerLimits = {
  requestMs: 120_000,
  headersMs: 10_000,
  keepAliveMs: 72_000,
  slowReaderMs: 60_000,
  connectionsMax: 20_000,
  connectionsPerAddress: connectionsPerAddressDefault,
};

export type Server = Readonly<{
  url: string;
  inFlight: () => number;
  /** Requests in flight continue. */
  stopAccepting: () => void;
  closeIdle: () => void;
  closeAll: () => void;
  close: () => Promise<void>;
}>;

export async function startServer(options: ServerOptions): Promise<Server> {
  const limits = { ...limitsDefault, ...options.limits };
  let inFlight = 0;
  let isClosing = false;
  const context: ExchangeContext = {
    ...options.context,
    slowReaderMs: limits.slowReaderMs,
    isClosing: () => isClosing || options.disablesKeepAlive(),
    onClosed: () => void inFlight--,
  };
  const { malformedAnswer } = options;
  const handle = (exchange: Exchange): void => {
    inFlight++;
    options.handle(exchange);
  };
  const begin = (request: IncomingMessage, response: ServerResponse, ask?: () => void): void => {
    if (isOtherVersion(request))
      refuseUnread(response, 505, malformedAnswer(otherVersion(request)));
    else if (lacksHost(request)) refuseUnread(response, 400, malformedAnswer(missingHost));
    else handle(new HttpExchange(request, response, context, ask));
  };
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: limits.headersMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: 1000,
      // The gateway checks Host itself, because Node's answer has no body.
      requireHostHeader: false,
    },
    (request, response) => begin(request, response),
  );
  // Node would request the body before it is known to be needed.
  server.on('checkContinue', (request, response) =>
    begin(request, response, () => response.writeContinue()),
  );
  refuseMalformed(server, malformedAnswer);
  // The limit is in bytes. A limit on the number of headers would silently drop the rest.
  server.maxHeadersCount = 0;
  const raw =
    options.parsesAll === true
      ? noRawConnections
      : acceptRaw(server, { context, handle, malformedAnswer, limits });
  const { connectionsMax: max, connectionsPerAddress: perAddressMax } = limits;
  const { connectionsRefused: refused, onConnectionsRefused: onRefused } = options;
  boundConnections(server, { max, perAddressMax, refused, onRefused });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  server.on('error', options.onFault);
  const closed = new Promise<void>((resolve) => void server.once('close', resolve));
  return {
    url: urlOf(server.address(), options.host),
    inFlight: () => inFlight,
    stopAccepting: () => {
      isClosing = true;
      server.close();
    },
    closeIdle: () => {
      server.closeIdleConnections();
      raw.closeIdle();
    },
    closeAll: () => {
      server.closeAllConnections();
      raw.closeAll();
    },
    close: async () => {
      server.close();
      raw.closeIdle();
      await closed;
    },
  };
}

/** Answers errors that Node would answer without a body or request id. */
function refuseMalformed(
  server: HttpServer,
  malformedAnswer: ServerOptions['malformedAnswer'],
): void {
  server.on('checkExpectation', (_, response) =>
    refuseUnread(response, 417, malformedAnswer('expect: must be 100-continue')),
  );
  const refuse = (socket: Duplex, code: string | undefined): void => {
    if (socket instanceof Socket) refuseRaw(socket, rawRefusal(code, malformedAnswer));
  };
  server.on('clientError', ({ code }: Error & { code?: string }, socket) => {
    // Bytes after the last request of a connection are discarded (RFC 9112, section 9.6), and the request is still
    // answered.
    if (code !== 'HPE_CLOSED_CONNECTION') refuse(socket, code);
  });
  server.on('connect', (_, socket) => {
    // Node has released the connection.
    socket.on('error', () => {}).resume();
    refuse(socket, 'CONNECT');
  });
}

/** Node parses HTTP/2.0 and HTTP/0.9 as HTTP/1.1. */
const isOtherVersion = ({ httpVersion }: IncomingMessage): boolean =>
  httpVersion !== '1.1' && httpVersion !== '1.0';

const otherVersion = ({ httpVersion }: IncomingMessage): string =>
  `the HTTP version must be 1.1 or 1.0, not ${httpVersion}`;

/** RFC 9112, section 3.2. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion !== '1.0';

const missingHost = 'host: the Host header is missing';

/** Sent after the answers to earlier requests on the connection, which is then closed. */
function refuseUnread(
  response: ServerResponse,
  status: number,
  { requestId, body }: MalformedAnswer,
): void {
  const headers = {
    'content-type': 'application/json',
    'x-request-id': requestId,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  response.writeHead(status, headers).end(body);
}

/** An error message in the middle of an answer would look like model output. */
function refuseRaw(socket: Socket, text: string): void {
  if (!socket.writable || isAnswering(socket)) return void socket.destroy();
  socket.end(text);
  setTimeout(() => socket.destroy(), lingeringCloseMs).unref();
}

/** Node stores the current answer on the socket. */
const isAnswering = (socket: Socket): boolean =>
  '_httpMessage' in socket &&
  socket._httpMessage instanceof ServerResponse &&
  socket._httpMessage.headersSent;

function urlOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
