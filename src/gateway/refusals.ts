// What the walk says no with: a reason, and words that name the field and the value that was wrong.

import type { Protocol } from '../lib/vocabulary.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { DenyRoute } from '../routing/route.ts';
import { refuseRequest } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { PeekRefusal } from './body/peek.ts';
import type { BodyResult, Exchange } from './transport/boundary.ts';

export const noSnapshot = refuseRequest('no_snapshot', 'no configuration has been received yet', {
  retryAfterSeconds: 1,
});
export const malformed = (message: string): GatewayRefusal =>
  refuseRequest('malformed_request', message);
const overloaded = refuseRequest('overloaded', 'the memory for request bodies is used up', {
  retryAfterSeconds: 1,
});
export const notReceived = (
  received: Extract<BodyResult, { kind: 'too_large' | 'overloaded' }>,
): GatewayRefusal =>
  received.kind === 'overloaded'
    ? overloaded
    : refuseRequest('payload_too_large', `the body is longer than ${received.bytesMax} bytes`);
export const noSuchRoute = ({ method, path }: Pick<Exchange, 'method' | 'path'>): GatewayRefusal =>
  refuseRequest('not_found', `no such route: ${method} ${quoted(path)}`);
export const onlyPost = refuseRequest('method_not_allowed', 'only POST is served here', {
  allow: 'POST',
});
export const noBackend = refuseRequest('no_backend', 'no backend could be reached');
export const outOfRotation = refuseRequest('no_backend', 'no backend of the model is in rotation');

export function unreadable(
  exchange: Exchange,
  { ambiguous, message, param }: PeekRefusal,
): GatewayRefusal {
  const encoding = exchange.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    return refuseRequest('unsupported_encoding', 'content-encoding: a body must not be encoded');
  }
  const reason = ambiguous ? 'ambiguous_request' : 'malformed_request';
  return refuseRequest(reason, message, { param });
}

/** A name is echoed to the caller, and so are at most so many characters of it. */
const echoedMax = 200;
const quoted = (name: string): string => JSON.stringify(name.slice(0, echoedMax));

export const notFound = (model: string): GatewayRefusal =>
  refuseRequest('model_not_found', `model ${quoted(model)} is not served here`, {
    param: 'model',
  });

export const denied = (model: string): GatewayRefusal =>
  refuseRequest('model_access_denied', `the key may not invoke ${quoted(model)}`, {
    param: 'model',
  });

/** The rule's own answer; which rule it was stands in x-gw-route. */
export const deniedByRule = ({ status, message, decision }: DenyRoute): GatewayRefusal =>
  refuseRequest('denied_by_rule', message, { param: 'model', status, route: decision.reason });

/** `protocol` is that of the first candidate (Gateway rule 14). */
export const unserved = (protocol: Protocol, path: string): GatewayRefusal =>
  refuseRequest(
    'unsupported_endpoint',
    `a backend of protocol ${protocol} does not serve ${path}`,
    { headers: ['x-should-retry', 'false'] },
  );

/**
 * The answer when the backend's protocol cannot express the request and nothing else of the chain could be asked. A
 * request that is wrong is wrong for every backend, and is not passed on to the next.
 */
export const untranslatable = ({
  refused,
  message,
  param,
  headers,
}: ProtocolRefusal): GatewayRefusal =>
  refuseRequest(refused === 'invalid' ? 'malformed_request' : 'unsupported_feature', message, {
    param,
    headers,
  });

/** The chain is exhausted, and the last answer that came has the status of an error but no body to pass on. */
export const upstreamError = (status: number, headers: readonly string[]): GatewayRefusal =>
  refuseRequest('upstream_error', `the upstream answered ${status}`, { status, headers });
