// Serves route values over HTTP: session, permission, input, then handler. All errors have one
// format, including those of the framework.

import { STATUS_CODES, createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { logForked, unavailableBy } from '../../control/commands/unavailable.ts';
import { boundConnections } from '../../ingress/bound-connections.ts';
import type { ConnectionsRefused } from '../../ingress/bound-connections.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { createAllowedMethods, writtenOutPaths } from './allowed-methods.ts';
import type { AllowedMethods } from './allowed-methods.ts';
import { adminTokenIn, authorise } from './authorise.ts';
import type { Caller, Credentials } from './authorise.ts';
import type { Log } from '../../lib/log.ts';
import { refuseCrossSite } from './cross-site.ts';
import { readJsonBody } from './json-body.ts';
import { createOpenCalls } from './open-calls.ts';
import type { OpenCalls } from './open-calls.ts';
import { jsonType, runRoute } from './once.ts';
import type { Serving } from './once.ts';
import { isOtherVersion, pathOf, refuseHead } from './request-head.ts';
import type { Handled, ServedRoute } from './route.ts';
import {
  answerFault,
  answerRefusal,
  answerWrongMethod,
  connectionError,
  frameworkRefusal,
} from './status.ts';
import type { ErrorAnswer } from './status.ts';
import { securityHeaders } from './security-headers.ts';
import { addHelp, helpPaths } from '../help.ts';
import { addUi, uiPaths } from '../ui.ts';
import type { Ui } from '../ui.ts';

export type AdminServerParts = Readonly<{
  routes: readonly ServedRoute[];
  serving: Serving;
  credentials: Credentials;
  log: Log;
  /**
   * True if the database's log differs from the one that the state was built from. The state must
   * then not be served.
   */
  isForked: () => boolean;
  connectionsRefused: ConnectionsRefused;
  /** PEM. Null serves plain HTTP and logs a warning at every start (Authentication rule 9). */
  tls: Readonly<{ cert: string; key: string }> | null;
  newRequestId: () => string;
  /** 0 means unlimited. */
  connectionsPerAddress: number;
  /** Null if the UI was not built. */
  ui: Ui | null;
  /** The folder of the documentation site, or null. */
  help: string | null;
}>;

const bodyBytesMax = 1024 * 1024;
const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
const connectionsCheckMs = 1_000;
const keepAliveMs = 72_000;
const connectionsMax = 2_000;
const parameterLengthMax = 500;

/** One year. Only over TLS, because browsers ignore it otherwise (RFC 6797, section 7.2). */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' };

/** Closing the server first aborts the open calls, so that a waiting long poll does not delay it. */
export type AdminServer = FastifyInstance;

export function createAdminServer(parts: AdminServerParts): AdminServer {
  const calls = createOpenCalls();
  const transport = parts.tls === null ? {} : strictTransport;
  const standing = ({ id }: FastifyRequest) => ({
    ...securityHeaders,
    ...transport,
    'x-request-id': id,
  });
  const server = Fastify({
    serverFactory: (handler) => openServer(parts, handler),
    trustProxy: false,
    bodyLimit: bodyBytesMax,
    genReqId: ({ headers }) => readRequestId(headers['x-request-id']) ?? parts.newRequestId(),
    routerOptions: { maxParamLength: parameterLengthMax },
    // Malformed paths, for which no hooks run.
    frameworkErrors: (error, request, reply) => {
      reply.headers(standing(request));
      sendError(reply, errorAnswer(error, request.id));
    },
    clientErrorHandler: (error, socket) => {
      // Ignores data after the last request of a connection (RFC 9112, section 9.6), which is still
      // answered.
      if (error.code === 'HPE_CLOSED_CONNECTION') return;
      // Malformed bytes are not a request, so there is no reply object.
      if (error.code !== 'ECONNRESET' && socket.writable) {
        socket.end(answerMalformed(error.code, parts.newRequestId()));
      } else socket.destroy();
    },
  });
  if (parts.tls === null) {
    parts.log.warn(
      {},
      'the admin listener speaks plain HTTP; set --tls-cert and --tls-key to encrypt it',
    );
  }

  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (_request, bytes, done) => {
      done(null, readJsonBody(bytes));
    },
  );
  const pages = [...uiPaths, ...helpPaths].map((path) => ({ method: 'GET', path }) as const);
  const allowedMethods = createAllowedMethods([...parts.routes, ...pages]);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(standing(request));
    const unfit = refuseHead(request.raw);
    if (isOtherVersion(request.raw)) {
      sendError(reply, connectionError('HPE_INVALID_VERSION', request.id));
    } else if (unfit !== null) sendError(reply, answerRefusal(unfit, request.id));
    else if (request.is404) sendError(reply, answerUnrouted(request, allowedMethods));
    else done();
  });
  server.addHook('preClose', () => calls.abort());
  server.setErrorHandler((error, request, reply) => {
    const answer = errorAnswer(error, request.id);
    if (answer.status === 500) parts.log.error({ error, request_id: request.id }, 'fault');
    sendError(reply, answer);
  });
  for (const route of parts.routes) addRoute(server, route, { parts, calls });
  addUi(server, parts.ui);
  addHelp(server, parts.help);
  return server;
}

function openServer(
  { tls, newRequestId, log, connectionsRefused, connectionsPerAddress }: AdminServerParts,
  handler: Parameters<typeof createHttpServer>[1] & object,
): Server {
  const options = {
    // A hook checks it instead, so that the error has the common format.
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: connectionsCheckMs,
  };
  const server =
    tls === null
      ? createHttpServer(options, handler)
      : createHttpsServer({ ...options, ...tls }, handler);
  boundConnections(server, {
    max: connectionsMax,
    perAddressMax: connectionsPerAddress,
    refused: connectionsRefused,
    onRefused: (connections) => log.warn({ connections }, 'connections were refused'),
  });
  server.on('checkExpectation', (_request, response) => {
    const { status, headers, body } = malformedParts('EXPECTATION', newRequestId());
    response.writeHead(status, headers).end(body);
  });
  server.on('connect', (_request, socket) => {
    // Node no longer manages this connection.
    socket.on('error', () => {}).resume();
    socket.end(answerMalformed('CONNECT', newRequestId()), () => socket.destroy());
  });
  return server;
}

const noSuchPath = refuse('absent', 'no such path');

/** A response that closes the connection. */
function malformedParts(code: string, requestId: string) {
  const { status, body } = connectionError(code, requestId);
  const headers = {
    connection: 'close',
    'content-type': jsonType,
    'x-request-id': requestId,
    ...securityHeaders,
  };
  return { status, headers, body: JSON.stringify(body) };
}

/** The response as bytes, for connections without a reply object. */
function answerMalformed(code: string, requestId: string): string {
  const { status, headers, body } = malformedParts(code, requestId);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

/** Accepts a client's request id if it is safe in a log line. */
const readRequestId = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && /^[\w.:-]{1,100}$/.test(header) ? header : null;

type RouteContext = Readonly<{ parts: AdminServerParts; calls: OpenCalls }>;

function addRoute(server: AdminServer, route: ServedRoute, { parts, calls }: RouteContext): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const isOpen = route.path.includes('{');
  const others = isOpen ? writtenOutPaths(parts.routes, route) : noPaths;
  server.route({
    method: route.method,
    url: fastifyPath(route.path),
    ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
    // Before the body is read, so that unauthorised callers cannot make the server parse a body.
    onRequest: async (request, reply) => {
      const allowed = others.get(request.url.split('?', 1)[0] ?? '');
      if (allowed !== undefined) return sendError(reply, answerWrongMethod(allowed, request.id));
      const caller =
        crossSite(route, request) ??
        (isForkedFor(route, parts) ? logForked() : null) ??
        (await authorise(route.permission, request.headers, parts.credentials));
      if (isRefusal(caller)) return sendError(reply, answerRefusal(caller, request.id));
      callers.set(request, caller);
    },
    handler: async (request, reply) => {
      const body = request.body;
      if (isRefusal(body)) return sendError(reply, answerRefusal(body, request.id));
      const received = {
        caller: callers.get(request) ?? { kind: 'anonymous' },
        permission: route.permission,
        method: route.method,
        path: pathOf(route.path, request.params),
        requestId: request.id,
        address: request.socket.remoteAddress ?? '',
        headers: request.headers,
        signal: () => calls.signalOf(reply.raw),
      };
      const input = { params: request.params, query: request.query, body: bodyValue(body) };
      return send(reply, route, await runRoute(parts.serving, { route, received, input }));
    },
  });
}

/** Open routes are exempt: they read the log to its head themselves where they need it. */
const isForkedFor = ({ permission }: ServedRoute, { isForked }: AdminServerParts): boolean =>
  permission !== 'open' && isForked();

const noPaths: ReadonlyMap<string, readonly string[]> = new Map();

/**
 * Only requests that a website can make a browser send can be forged: those with a session cookie,
 * and logins.
 */
function crossSite(
  { method, permission }: ServedRoute,
  { headers }: FastifyRequest,
): Refusal | null {
  const isForgeable =
    permission === 'open' ||
    (permission !== 'proxy_token' && permission !== 'api_key' && adminTokenIn(headers) === null);
  return method !== 'GET' && isForgeable ? refuseCrossSite(headers) : null;
}

const bodyValue = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'value' in body ? body.value : undefined;

function send(reply: FastifyReply, route: ServedRoute, handled: Handled<unknown>): FastifyReply {
  if (isRefusal(handled)) return sendError(reply, answerRefusal(handled, reply.request.id));
  const status = handled.status ?? route.status ?? 200;
  reply.code(status).headers({ ...handled.headers });
  if ('bytes' in handled) return reply.send(handled.bytes ?? undefined);
  if ('stream' in handled) {
    if (reply.request.method !== 'HEAD') return reply.send(handled.stream);
    // The framework would read the stream although a HEAD response has no body.
    handled.stream.destroy();
    return reply.send();
  }
  return status === 204 ? reply.send() : reply.type(jsonType).send(JSON.stringify(handled.body));
}

const sendError = (reply: FastifyReply, { status, headers, body }: ErrorAnswer): FastifyReply =>
  reply
    .code(status)
    .headers({ ...headers })
    .type(jsonType)
    .send(JSON.stringify(body));

function errorAnswer(error: unknown, requestId: string): ErrorAnswer {
  const unavailable = unavailableBy(error);
  if (unavailable !== null) return answerRefusal(unavailable, requestId);
  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : undefined;
  const refusal = frameworkRefusal(status);
  return refusal === null ? answerFault(requestId) : answerRefusal(refusal, requestId);
}

/** A known path with an unsupported method is a 405 that lists the supported ones. */
function answerUnrouted({ id, url }: FastifyRequest, allowedMethods: AllowedMethods): ErrorAnswer {
  const allowed = allowedMethods(url);
  return allowed === null ? answerRefusal(noSuchPath, id) : answerWrongMethod(allowed, id);
}

const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');
