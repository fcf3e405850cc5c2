// Answers with errors of the gateway: one table maps reasons to statuses, and all errors have one
// body format. Clients of the Messages API get that API's format.

import type { Explanation } from '../lib/refusal.ts';
import { errorText } from '../protocols/messages/error.ts';
import type { Rejection } from '../telemetry/metrics.ts';
import { speaksMessages } from './routes.ts';
import type { Exchange, FlatHeaders } from './transport/boundary.ts';

/** The reference page shows the cause and the remedy. */
type Row = Explanation & Readonly<{ status: number; type: string; rejection: Rejection | null }>;

export const reasons = {
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    rejection: 'unauthenticated',
    cause: 'The API key is missing, unknown or revoked',
    remedy: 'Send a valid key as `authorization: Bearer <key>`, or as x-api-key on /v1/messages',
  },
  expired_api_key: {
    status: 401,
    type: 'authentication_error',
    rejection: 'unauthenticated',
    cause: 'The API key has expired',
    remedy: 'Ask an administrator for a new key',
  },
  not_found: {
    status: 404,
    type: 'not_found_error',
    rejection: null,
    cause: 'The gateway does not serve this path',
    remedy: 'Check the base URL and path of the client',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    rejection: null,
    cause: 'The path does not support this method',
    remedy: 'Use a method from the `allow` header',
  },
  malformed_request: {
    status: 400,
    type: 'invalid_request_error',
    rejection: 'malformed',
    cause: 'The request is not valid HTTP or JSON, or a field has a wrong value',
    remedy: 'Correct the field that `param` or the message names',
  },
  ambiguous_request: {
    status: 400,
    type: 'invalid_request_error',
    rejection: 'malformed',
    cause: 'A JSON field that routing reads is given twice, escaped or in another case',
    remedy: 'Send the field that `param` names once, spelled exactly',
  },
  unsupported_encoding: {
    status: 415,
    type: 'invalid_request_error',
    rejection: 'malformed',
    cause: 'The body has a content-encoding',
    remedy: 'Send the body without compression',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    rejection: 'malformed',
    cause: 'The content-type or its charset does not fit the path',
    remedy: 'Send the content type that the message names, in UTF-8',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request_error',
    rejection: 'body_too_large',
    cause: 'The body is longer than the limit that the message names',
    remedy: 'Send a shorter request, or ask the operator to raise --max-body-mb',
  },
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    rejection: 'model_not_found',
    cause: 'No frontend model or pool has this name',
    remedy: 'Choose a name that `GET /v1/models` lists',
  },
  model_access_denied: {
    status: 403,
    type: 'permission_error',
    rejection: 'unauthorised',
    cause: 'The principal of the key may not invoke this model',
    remedy: 'Ask an administrator for the permission, or choose another model',
  },
  denied_by_rule: {
    status: 403,
    type: 'permission_error',
    rejection: 'unauthorised',
    cause: 'A routing rule denies this request, with its own status; `x-gw-route` names the rule',
    remedy: 'Follow the message of the rule, or ask an administrator to change it',
  },
  budget_exceeded: {
    status: 402,
    type: 'billing_error',
    rejection: 'over_budget',
    cause: 'A budget of money or tokens is used up',
    remedy: 'Wait until the window of the budget ends, or ask an administrator to raise it',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    rejection: 'rate_limited',
    cause: 'A limit of requests or tokens per minute is reached',
    remedy: 'Wait the number of seconds in Retry-After, then retry',
  },
  unsupported_feature: {
    status: 501,
    type: 'not_implemented',
    rejection: 'unsupported',
    cause: 'The protocol of the backend cannot express a field of the request',
    remedy: 'Omit the field that `param` names, or choose a model of another provider',
  },
  unsupported_endpoint: {
    status: 501,
    type: 'not_implemented',
    rejection: 'unsupported',
    cause: 'No backend of the model serves this path',
    remedy: 'Choose another path or model; a retry cannot succeed',
  },
  upstream_error: {
    status: 502,
    type: 'upstream_error',
    rejection: null,
    cause: 'The last backend that was tried returned an error without a usable body',
    remedy: 'Retry later; if it persists, ask the operator to check the provider',
  },
  no_backend: {
    status: 502,
    type: 'no_backend',
    rejection: null,
    cause: 'No backend of the model could be reached',
    remedy: 'Retry later; if it persists, ask the operator to check the providers and targets',
  },
  no_snapshot: {
    status: 503,
    type: 'unavailable',
    rejection: 'no_snapshot',
    cause: 'The proxy has not received a configuration yet',
    remedy: 'Retry after a second; if it persists, ask the operator to check the control link',
  },
  overloaded: {
    status: 503,
    type: 'overloaded',
    rejection: 'overloaded',
    cause: 'The memory for request bodies is used up',
    remedy: 'Retry after a second; if it persists, ask the operator to add proxies or memory',
  },
  backend_overloaded: {
    status: 503,
    type: 'backend_overloaded',
    rejection: 'backend_overloaded',
    cause: 'The backend had no free slot, and its queue is full or timed out',
    remedy:
      'Wait the number of seconds in Retry-After, then retry; if it persists, ask the operator to add capacity',
  },
  internal_error: {
    status: 500,
    type: 'internal_error',
    rejection: null,
    cause: 'The gateway failed; its log has the details under the request id',
    remedy: 'Retry; if it persists, report the request id to the operator',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type Reason = keyof typeof reasons;

/** `message` names the field and the wrong value. It never contains another caller's data. */
export type GatewayRefusal = Readonly<{
  reason: Reason;
  status: number;
  message: string;
  param: string | null;
  retryAfterSeconds: number | null;
  /** For a 405, the methods that the path serves. */
  allow: string | null;
  /** The value of x-gw-route when a rule refuses. */
  route: string | null;
  /** More headers of the answer: alternating names and values. */
  headers: readonly string[];
}>;

type Details = Partial<Omit<GatewayRefusal, 'reason' | 'message'>>;

export const statusOf = (reason: Reason): number => reasons[reason].status;

const noDetails = { param: null, retryAfterSeconds: null, allow: null, route: null, headers: [] };

/** `details` may override the status of the table. */
export const refuseRequest = (
  reason: Reason,
  message: string,
  details: Details = {},
): GatewayRefusal => ({ ...noDetails, status: statusOf(reason), ...details, reason, message });

export const rejectionOf = (reason: Reason): Rejection | null => reasons[reason].rejection;

/**
 * Alternating names and values. Clients of the Messages API also get the id under that API's header
 * name.
 */
export function idHeaders(exchange: Exchange): FlatHeaders {
  const { requestId } = exchange;
  const own = ['x-request-id', requestId];
  return speaksMessages(exchange) ? [...own, 'request-id', requestId] : own;
}

export function errorBody(
  reason: Reason,
  message: string,
  requestId: string,
  param: string | null,
) {
  const { type } = reasons[reason];
  return JSON.stringify({ error: { message, type, param, code: reason, request_id: requestId } });
}

/** `more` are headers for every answer to this request: alternating names and values. */
export function answerRefusal(
  exchange: Exchange,
  refusal: GatewayRefusal,
  more: readonly string[] = [],
): void {
  const { reason, status, message, param, retryAfterSeconds, allow, route } = refusal;
  const headers = ['content-type', 'application/json', ...idHeaders(exchange)];
  if (retryAfterSeconds !== null) headers.push('retry-after', String(retryAfterSeconds));
  if (allow !== null) headers.push('allow', allow);
  if (route !== null) headers.push('x-gw-route', route);
  headers.push(...more, ...refusal.headers);
  if (statusOf(reason) === 401) headers.push('www-authenticate', 'Bearer');
  const body = speaksMessages(exchange)
    ? errorText(status, message, exchange.requestId)
    : errorBody(reason, message, exchange.requestId, param);
  exchange.answer(status, headers, body);
}

export function answerJson(exchange: Exchange, status: number, value: unknown): void {
  const headers = ['content-type', 'application/json', ...idHeaders(exchange)];
  exchange.answer(status, headers, JSON.stringify(value));
}
