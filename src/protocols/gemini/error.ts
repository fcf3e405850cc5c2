// Translates an error of the vendor to the chat protocol. Keeps the vendor's message and type
// (https://cloud.google.com/apis/design/errors; wire reference 3.5).

import { messageCharactersMax } from '../chat-answer.ts';
import type { ChatError } from '../chat-answer.ts';
import { countOf, isObject, listOf, objectOf, textOf } from '../json.ts';

/** `status` is used if the error arrived without one: in a stream, or with status 200. */
export type VendorError = Readonly<{ error: ChatError; status: number }>;

/**
 * Null if the body is not an error of this vendor. The streaming endpoint wraps errors in an array.
 */
export function readError(value: unknown): VendorError | null {
  const answer: unknown = Array.isArray(value) ? value[0] : value;
  const error = isObject(answer) ? objectOf(answer, 'error') : null;
  if (error === null) return null;
  const message = textOf(error, 'message') ?? 'the upstream gave no reason';
  const type = textOf(error, 'status') ?? 'upstream_error';
  const code = countOf(error, 'code') ?? 0;
  return {
    error: { message: message.slice(0, messageCharactersMax), type, code: reasonOf(error) },
    status: code >= 400 && code < 600 ? code : (statuses.get(type) ?? 502),
  };
}

/** google.rpc.ErrorInfo identifies a wrong key, which is otherwise a plain 400. */
function reasonOf(error: Readonly<Record<string, unknown>>): string | null {
  const details = listOf(error, 'details').filter(isObject);
  return (
    details.map((detail) => textOf(detail, 'reason')).find((reason) => reason !== null) ?? null
  );
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ALREADY_EXISTS', 409],
  ['ABORTED', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['INTERNAL', 500],
  ['UNKNOWN', 500],
  ['DATA_LOSS', 500],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
]);
