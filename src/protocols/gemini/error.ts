// An error of the vendor as an error of the chat protocol; its message and kind stay the vendor's
// (https://cloud.google.com/apis/design/errors; wire reference 3.5).

import { messageCharactersMax } from '../chat-answer.ts';
import type { ChatError } from '../chat-answer.ts';
import { countOf, isObject, listOf, objectOf, textOf } from '../json.ts';

/** `status` goes with an error for which none was sent: in a stream, or under a 200. */
export type VendorError = Readonly<{ error: ChatError; status: number }>;

/** Null for what is no error of this vendor. Errors of the stream's endpoint come in an array. */
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

/** Of google.rpc.ErrorInfo: a wrong key is a 400 like others, and only this tells. */
function reasonOf(error: Readonly<Record<string, unknown>>): string | null {
  const details = listOf(error, 'details').filter(isObject);
  return (
    details.map((detail) => textOf(detail, 'reason')).find((reason) => reason !== null) ?? null
  );
}

/** google.rpc.Code by the HTTP status that it goes with. */
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
