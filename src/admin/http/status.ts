// How a refusal is answered on the admin listener: the one table from its code to a status, and the one shape of an error.

import { z } from 'zod';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal, RefusalCode } from '../../lib/refusal.ts';

type Kind = Readonly<{ status: number; type: string }>;

export const statusOf: Readonly<Record<RefusalCode, Kind>> = {
  invalid: { status: 400, type: 'invalid_request_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'permission_error' },
  approval_required: { status: 403, type: 'permission_error' },
  absent: { status: 404, type: 'not_found_error' },
  conflict: { status: 409, type: 'conflict_error' },
  stale: { status: 412, type: 'conflict_error' },
  too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media: { status: 415, type: 'invalid_request_error' },
  too_many: { status: 429, type: 'rate_limit_error' },
  upstream: { status: 502, type: 'upstream_error' },
  unavailable: { status: 503, type: 'unavailable_error' },
};

export const errorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    /** The field that was wrong. */
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

/** The path is known, the method is not among its own. */
export const answerWrongMethod = (allow: readonly string[], requestId: string): ErrorAnswer => ({
  ...invalid(
    405,
    { message: `this path answers ${allow.join(', ')}`, code: 'method_not_allowed' },
    requestId,
  ),
  headers: { allow: allow.join(', ') },
});

/**
 * What was wrong before there was a request: by the code of Node's error, EXPECTATION for an Expect that nobody meets, or CONNECT for a
 * tunnel.
 */
export function connectionError(code: string, requestId: string): ErrorAnswer {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return invalid(431, { message: 'the headers are too long', code: 'too_large' }, requestId);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return invalid(408, { message: 'the request took too long', code: 'timeout' }, requestId);
    case 'EXPECTATION':
      return invalid(
        417,
        { message: 'expect: must be 100-continue', code: 'expectation_failed' },
        requestId,
      );
    case 'CONNECT': {
      const message = 'the method CONNECT is not served';
      return invalid(501, { message, code: 'unsupported_method' }, requestId);
    }
    case 'HPE_INVALID_VERSION':
    case 'HPE_PAUSED_H2_UPGRADE': {
      const message = 'the version of HTTP must be 1.1 or 1.0';
      return invalid(505, { message, code: 'unsupported_version' }, requestId);
    }
    default:
      return answerRefusal(refuse('invalid', 'not an HTTP request'), requestId);
  }
}

type Fault = Readonly<{ message: string; code: string }>;

const invalid = (status: number, { message, code }: Fault, requestId: string): ErrorAnswer => ({
  status,
  headers: {},
  body: {
    error: { message, type: 'invalid_request_error', param: null, code, request_id: requestId },
  },
});

/** A fault of ours. What went wrong is in the log under the request's id, never in the answer. */
export const answerFault = (requestId: string): ErrorAnswer => ({
  status: 500,
  headers: {},
  body: {
    error: {
      message: 'internal error; the log has it under this request_id',
      type: 'api_error',
      param: null,
      code: 'internal',
      request_id: requestId,
    },
  },
});

/** What the HTTP framework refused by itself, before or instead of a handler. Null is a fault of ours. */
export function frameworkRefusal(status: number | undefined): Refusal | null {
  if (status === undefined || status < 400 || status >= 500) return null;
  if (status === 413) return refuse('too_large', 'the body is too long');
  if (status === 415) return refuse('unsupported_media', 'the body must be application/json');
  return refuse('invalid', 'the request is malformed');
}
