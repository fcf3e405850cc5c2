// How the gateway says no: one table from reason to status, and one body shape for all of them, but for
// clients of the Messages API, which has its own.

import { errorText } from '../protocols/messages/error.ts';
import type { Rejection } from '../telemetry/metrics.ts';
import { speaksMessages } from './routes.ts';
import type { Exchange, FlatHeaders } from './transport/boundary.ts';

type Row = readonly [status: number, type: string, rejection: Rejection | null];

export const reasons = {
  invalid_api_key: [401, 'authentication_error', 'unauthenticated'],
  expired_api_key: [401, 'authentication_error', 'unauthenticated'],
  not_found: [404, 'not_found_error', null],
  method_not_allowed: [405, 'invalid_request_error', null],
  malformed_request: [400, 'invalid_request_error', 'malformed'],
  ambiguous_request: [400, 'invalid_request_error', 'malformed'],
  unsupported_encoding: [415, 'invalid_request_error', 'malformed'],
  unsupported_media_type: [415, 'invalid_request_error', 'malformed'],
  payload_too_large: [413, 'invalid_request_error', 'body_too_large'],
  model_not_found: [404, 'not_found_error', 'model_not_found'],
  model_access_denied: [403, 'permission_error', 'unauthorised'],
  denied_by_rule: [403, 'permission_error', 'unauthorised'],
  budget_exceeded: [402, 'billing_error', 'over_budget'],
  rate_limit_exceeded: [429, 'rate_limit_error', 'rate_limited'],
  unsupported_feature: [501, 'not_implemented', 'unsupported'],
  unsupported_endpoint: [501, 'not_implemented', 'unsupported'],
  upstream_error: [502, 'upstream_error', null],
  no_backend: [502, 'no_backend', null],
  no_snapshot: [503, 'unavailable', 'no_snapshot'],
  overloaded: [503, 'overloaded', 'overloaded'],
  backend_overloaded: [503, 'backend_overloaded', 'backend_overloaded'],
  internal_error: [500, 'internal_error', null],
} as const satisfies Readonly<Record<string, Row>>;

export type Reason = keyof typeof reasons;

/** `message` names the field and the value that was wrong; never another caller's data. */
export type GatewayRefusal = Readonly<{
  reason: Reason;
  status: number;
  message: string;
  param: string | null;
  retryAfterSeconds: number | null;
  /** The methods that the path does serve, for a 405. */
  allow: string | null;
  /** The value of x-gw-route, when a rule refuses. */
  route: string | null;
  /** More headers of the answer, names and values in turn. */
  headers: readonly string[];
}>;

type Details = Partial<Omit<GatewayRefusal, 'reason' | 'message'>>;

export const statusOf = (reason: Reason): number => reasons[reason][0];

const noDetails = { param: null, retryAfterSeconds: null, allow: null, route: null, headers: [] };

/** Among the details is the status where it is another than the table's. */
export const refuseRequest = (
  reason: Reason,
  message: string,
  details: Details = {},
): GatewayRefusal => ({ ...noDetails, status: statusOf(reason), ...details, reason, message });

export const rejectionOf = (reason: Reason): Rejection | null => reasons[reason][2];

/** Names and values in turn. Clients of the Messages API look for the id under that API's name of it too. */
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
  const [, type] = reasons[reason];
  return JSON.stringify({ error: { message, type, param, code: reason, request_id: requestId } });
}

/** `more` are headers for any answer to this request, names and values in turn. */
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
