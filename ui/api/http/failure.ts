// The error of all failed calls, with the message of the server.

type Fields = Readonly<{
  status: number;
  code: string;
  param: string | null;
  requestId: string | null;
  retryAfterSeconds: number | null;
}>;

export class ApiFailure extends Error {
  /** 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, fields: Fields, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiFailure';
    this.status = fields.status;
    this.code = fields.code;
    this.param = fields.param;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const textIn = (value: unknown, name: string): string | null => {
  const found = member(value, name);
  return typeof found === 'string' && found !== '' ? found : null;
};

/** A proxy can also send such a response. */
export function failureOf(
  response: Pick<Response, 'status' | 'statusText' | 'headers'>,
  body: unknown,
): ApiFailure {
  const error = member(body, 'error');
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return new ApiFailure(
    textIn(error, 'message') ?? `the server returned ${response.status} ${response.statusText}`,
    {
      status: response.status,
      code: textIn(error, 'code') ?? 'unknown',
      param: textIn(error, 'param'),
      requestId: textIn(error, 'request_id') ?? response.headers.get('x-request-id'),
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    },
  );
}

export const unreachable = (cause: unknown): ApiFailure =>
  new ApiFailure(
    'cannot reach the control plane',
    { status: 0, code: 'unreachable', param: null, requestId: null, retryAfterSeconds: null },
    { cause },
  );

export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure(error instanceof Error ? error.message : String(error), {
        status: 0,
        code: 'fault',
        param: null,
        requestId: null,
        retryAfterSeconds: null,
      });

/** For a problem that the page found before sending. */
export const wrongField = (param: string, message: string): ApiFailure =>
  new ApiFailure(message, {
    status: 0,
    code: 'invalid',
    param,
    requestId: null,
    retryAfterSeconds: null,
  });
