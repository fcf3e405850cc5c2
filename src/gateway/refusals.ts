// The refusals of the request path. Each message names the field and the wrong value.

import type { Protocol } from '../lib/vocabulary.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { DenyRoute } from '../routing/route.ts';
import { refuseRequest } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { PeekRefusal } from './body/peek.ts';
import type { BodyResult, Exchange } from './transport/boundary.ts';

export const noSnapshot = refuseRequest(
  'no_snapshot',
  'the proxy has not received a configuration yet; retry later',
  {
    retryAfterSeconds: 1,
  },
);
export const malformed = (message: string): GatewayRefusal =>
  refuseRequest('malformed_request', message);
const overloaded = refuseRequest(
  'overloaded',
  'the memory for request bodies is exhausted; retry later',
  {
    retryAfterSeconds: 1,
  },
);
export const notReceived = (
  received: Extract<BodyResult, { kind: 'too_large' | 'overloaded' }>,
): GatewayRefusal =>
  received.kind === 'overloaded'
    ? overloaded
    : refuseRequest(
        'payload_too_large',
        `the body is longer than the limit of ${received.bytesMax} bytes`,
      );
export const noSuchRoute = ({ method, path }: Pick<Exchange, 'method' | 'path'>): GatewayRefusal =>
  refuseRequest(
    'not_found',
    `route ${method} ${quoted(path)} does not exist; check the base URL and path`,
  );
export const onlyPost = refuseRequest('method_not_allowed', 'this path supports only POST', {
  allow: 'POST',
});
export const noBackend = refuseRequest(
  'no_backend',
  'no backend of the model could be reached; retry later',
);
export const outOfRotation = refuseRequest(
  'no_backend',
  'no backend of the model is in rotation; retry later',
);

export function unreadable(
  exchange: Exchange,
  { ambiguous, message, param }: PeekRefusal,
): GatewayRefusal {
  const encoding = exchange.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    return refuseRequest(
      'unsupported_encoding',
      'content-encoding: compressed bodies are not supported; send the body uncompressed',
    );
  }
  const reason = ambiguous ? 'ambiguous_request' : 'malformed_request';
  return refuseRequest(reason, message, { param });
}

/** The maximum characters of a name that are repeated to the caller. */
const echoedMax = 200;
const quoted = (name: string): string => JSON.stringify(name.slice(0, echoedMax));

export const notFound = (model: string): GatewayRefusal =>
  refuseRequest(
    'model_not_found',
    `model ${quoted(model)} does not exist; GET /v1/models lists the available models`,
    {
      param: 'model',
    },
  );

export const denied = (model: string): GatewayRefusal =>
  refuseRequest(
    'model_access_denied',
    `the API key has no permission to invoke model ${quoted(model)}`,
    {
      param: 'model',
    },
  );

/** x-gw-route names the rule. */
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
 * The answer when the backend's protocol cannot express the request and no other backend could be used. An invalid
 * request is invalid for every backend, so it is not tried elsewhere.
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

/** The chain is exhausted, and the last answer is an error without a usable body. */
export const upstreamError = (status: number, headers: readonly string[]): GatewayRefusal =>
  refuseRequest('upstream_error', `the upstream answered ${status}`, { status, headers });
