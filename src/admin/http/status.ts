// Builds error responses, with one table from code to status and one format.

import { z } from 'zod';

import { refuse } from '../../lib/refusal.ts';
import type { Explanation, Refusal, RefusalCode } from '../../lib/refusal.ts';

/** Cause and remedy appear on the reference page. */
type ErrorRow = Explanation & Readonly<{ status: number; type: string }>;

export const statusOf: Readonly<Record<RefusalCode, ErrorRow>> = {
  invalid: {
    status: 400,
    type: 'invalid_request_error',
    cause: 'The request is malformed; `param` names the field',
    remedy: 'Correct the field that the message names and send the request again',
  },
  unauthenticated: {
    status: 401,
    type: 'authentication_error',
    cause: 'The credential is missing, unknown or has expired',
    remedy: 'Sign in again, or send a valid token or key',
  },
  forbidden: {
    status: 403,
    type: 'permission_error',
    cause: 'The permission is missing, or the request comes from another site',
    remedy: 'Ask an administrator for the permission that the message names',
  },
  approval_required: {
    status: 403,
    type: 'permission_error',
    cause: 'The change policy requires an approved change request',
    remedy: 'Draft a change request with this call and have it approved',
  },
  absent: {
    status: 404,
    type: 'not_found_error',
    cause: 'The record or the log position does not exist',
    remedy: 'Check the id, name or time in the path; the record may have been deleted',
  },
  conflict: {
    status: 409,
    type: 'conflict_error',
    cause:
      'The request contradicts the current configuration, or reuses an Idempotency-Key for another request',
    remedy: 'Read the current state, adapt the request and send it with a new key',
  },
  stale: {
    status: 412,
    type: 'conflict_error',
    cause: 'If-Match names an older version',
    remedy: 'Read the record again and repeat the change on its current version',
  },
  too_large: {
    status: 413,
    type: 'invalid_request_error',
    cause: 'The body, the headers or the change is too large',
    remedy: 'Split the request into smaller ones',
  },
  unsupported_media: {
    status: 415,
    type: 'invalid_request_error',
    cause: 'The body is not application/json',
    remedy: 'Send JSON with the header content-type: application/json',
  },
  too_many: {
    status: 429,
    type: 'rate_limit_error',
    cause: 'There were too many attempts; Retry-After says when to retry',
    remedy: 'Wait the number of seconds in Retry-After, then retry',
  },
  upstream: {
    status: 502,
    type: 'upstream_error',
    cause: 'A provider, price source or cluster did not answer as expected',
    remedy: 'Check the address and credential of the system that the message names',
  },
  unavailable: {
    status: 503,
    type: 'unavailable_error',
    cause: 'The database is unavailable or overloaded; Retry-After says when to retry',
    remedy:
      'Wait the number of seconds in Retry-After, then retry; if it persists, check the database',
  },
};

export const errorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    /** The invalid field. */
    param: z.string().nullable(),
    code: z.string(),
    request_id: z.string(),
  }),
});
type ErrorBody = Readonly<z.output<typeof errorBody>>;

export type ErrorAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: ErrorBody;
}>;

export function answerRefusal(refusal: Refusal, requestId: string): ErrorAnswer {
  const { status, type } = statusOf[refusal.refused];
  const { message, param, retryAfterSeconds } = refusal;
  return {
    status,
    headers: retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: { error: { message, type, param, code: refusal.refused, request_id: requestId } },
  };
}

/** Errors of HTTP itself, and bugs. Their codes are not refusal codes. */
export const httpErrors = {
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    cause: 'The path does not support this method',
    remedy: 'Use a method from the `allow` header',
  },
  timeout: {
    status: 408,
    type: 'invalid_request_error',
    cause: 'The request was not received in time',
    remedy: 'Send the whole request without delay',
  },
  expectation_failed: {
    status: 417,
    type: 'invalid_request_error',
    cause: 'The header `expect` has a value other than 100-continue',
    remedy: 'Omit the header',
  },
  unsupported_method: {
    status: 501,
    type: 'invalid_request_error',
    cause: 'The request opens a tunnel (CONNECT), which gw does not support',
    remedy: 'Do not configure gw as a forward proxy; call its paths directly',
  },
  unsupported_version: {
    status: 505,
    type: 'invalid_request_error',
    cause: 'The HTTP version is neither 1.0 nor 1.1',
    remedy: 'Send HTTP/1.1',
  },
  internal: {
    status: 500,
    type: 'api_error',
    cause: 'gw failed; its log has the details under the request id',
    remedy: 'Retry; if it persists, report the request id to the operator',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

type HttpError = keyof typeof httpErrors;

export const answerWrongMethod = (allow: readonly string[], requestId: string): ErrorAnswer => ({
  ...answerHttpError('method_not_allowed', `this path answers ${allow.join(', ')}`, requestId),
  headers: { allow: allow.join(', ') },
});

/**
 * The response to an error before there is a request. `code` is Node's error code, EXPECTATION for
 * an unknown `expect` header, or CONNECT for a tunnel.
 */
export function connectionError(code: string, requestId: string): ErrorAnswer {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        ...answerRefusal(refuse('too_large', 'the headers are too long'), requestId),
        status: 431,
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return answerHttpError('timeout', 'the request took too long', requestId);
    case 'EXPECTATION':
      return answerHttpError('expectation_failed', 'expect: must be 100-continue', requestId);
    case 'CONNECT': {
      const message = 'the method CONNECT is not supported';
      return answerHttpError('unsupported_method', message, requestId);
    }
    case 'HPE_INVALID_VERSION':
    case 'HPE_PAUSED_H2_UPGRADE': {
      const message = 'the HTTP version must be 1.1 or 1.0';
      return answerHttpError('unsupported_version', message, requestId);
    }
    default:
      return answerRefusal(refuse('invalid', 'not an HTTP request'), requestId);
  }
}

/** For a bug in gw. The log has the details, under the request id. */
export const answerFault = (requestId: string): ErrorAnswer =>
  answerHttpError(
    'internal',
    'internal error; the log has details under this request_id',
    requestId,
  );

function answerHttpError(code: HttpError, message: string, requestId: string): ErrorAnswer {
  const { status, type } = httpErrors[code];
  return {
    status,
    headers: {},
    body: { error: { message, type, param: null, code, request_id: requestId } },
  };
}

/**
 * Maps an error that the HTTP framework raised before or instead of a handler. Null means a bug in
 * gw.
 */
export function frameworkRefusal(status: number | undefined): Refusal | null {
  if (status === undefined || status < 400 || status >= 500) return null;
  if (status === 413) return refuse('too_large', 'the body is too long');
  if (status === 415) return refuse('unsupported_media', 'the body must be application/json');
  return refuse('invalid', 'the request is malformed');
}
