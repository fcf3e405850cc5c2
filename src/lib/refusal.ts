// A refusal: the expected "no" of a rule, as a value. Each plane maps its code to a status in one table.

export type RefusalCode =
  | 'invalid' // the request is malformed; `param` names the field
  | 'unauthenticated'
  | 'forbidden'
  | 'approval_required' // the change policy asks for an approved request
  | 'absent'
  | 'conflict'
  | 'stale' // If-Match named an older version
  | 'too_large'
  | 'unsupported_media'
  | 'too_many' // a limit on attempts; `retryAfterSeconds` says when to try again
  | 'upstream' // a dialled provider did not do its part
  | 'unavailable'; // the database is away or busy; `retryAfterSeconds` says when to try again

export type Refusal = Readonly<{
  refused: RefusalCode;
  message: string;
  param: string | null;
  retryAfterSeconds: number | null;
}>;

type Details = { param?: string; retryAfterSeconds?: number };

/** `message` names the field and the value that was wrong, lower-case, without a full stop. */
export function refuse(code: RefusalCode, message: string, details: Details = {}): Refusal {
  return {
    refused: code,
    message,
    param: details.param ?? null,
    retryAfterSeconds: details.retryAfterSeconds ?? null,
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}
