// Defines a refusal: an expected failure, as a value. Each plane maps its code to a status in one table.

export type RefusalCode =
  | 'invalid' // `param` names the field
  | 'unauthenticated'
  | 'forbidden'
  | 'approval_required'
  | 'absent'
  | 'conflict'
  | 'stale'
  | 'too_large'
  | 'unsupported_media'
  | 'too_many' // `retryAfterSeconds` says when to try again
  | 'upstream'
  | 'unavailable'; // `retryAfterSeconds` says when to try again

/** Explains an error code: what happened, and what the caller or operator does. */
export type Explanation = Readonly<{ cause: string; remedy: string }>;

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
