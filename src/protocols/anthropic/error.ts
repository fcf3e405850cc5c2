// Translates an error of the vendor to the chat protocol. Keeps the vendor's message and type
// (https://platform.claude.com/docs/en/api/errors).

import { messageCharactersMax } from '../chat-answer.ts';
import type { ChatError } from '../chat-answer.ts';
import { isObject, objectOf, textOf } from '../json.ts';

/** Null if the body is not an error of this vendor. */
export function readError(value: unknown): ChatError | null {
  const error = isObject(value) ? objectOf(value, 'error') : null;
  if (error === null) return null;
  const message = textOf(error, 'message') ?? 'the upstream gave no reason';
  const details = objectOf(error, 'details');
  return {
    message: message.slice(0, messageCharactersMax),
    type: textOf(error, 'type') ?? 'upstream_error',
    code: details === null ? null : textOf(details, 'error_code'),
  };
}

/** For an error type that arrived without a status: in a stream, or with status 200. */
export const statusOfError = (type: string): number => statuses.get(type) ?? 502;

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);
