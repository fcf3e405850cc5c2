// An error in the envelope of the Messages API, whoever it comes from: the gateway itself, or a server
// that speaks one of the chat API's dialects (wire reference 1.7, 2.6).

import { messageCharactersMax } from '../chat-answer.ts';
import { isObject, member, objectOf, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** What kind of error a status is (https://platform.claude.com/docs/en/api/errors). */
function errorType(status: number): string {
  const type = types.get(status);
  if (type !== undefined) return type;
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

const types: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** The whole envelope as JSON. */
export const errorText = (status: number, message: string, requestId: string): string =>
  JSON.stringify({
    type: 'error',
    error: { type: errorType(status), message },
    request_id: requestId,
  });

/** The reason that an error of a chat server gives. Null for what gives none. */
export function errorMessage(value: unknown): string | null {
  if (!isObject(value)) return null;
  const error = objectOf(value, 'error');
  const message =
    (error === null ? textOf(value, 'error') : textOf(error, 'message')) ??
    textOf(value, 'message') ??
    detailOf(member(value, 'detail'));
  return message === null ? null : message.slice(0, messageCharactersMax);
}

/** As frameworks tell of what does not fit their schema: a text, or a list of what is wrong. */
function detailOf(detail: unknown): string | null {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return null;
  const messages = detail.filter(isObject).flatMap((one) => textOf(one, 'msg') ?? []);
  return messages.length === 0 ? null : messages.join('; ');
}

/** The status that an error within a 200 names; 502 when it names none. */
export function errorStatus(value: JsonObject): number {
  const error = objectOf(value, 'error') ?? value;
  for (const name of ['status_code', 'code', 'status']) {
    const status = Number(member(error, name));
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return statusesOfTypes.get(textOf(error, 'type') ?? '') ?? 502;
}

const statusesOfTypes: ReadonlyMap<string, number> = new Map([
  ['overloaded_error', 529],
  ...[...types]
    .map(([status, type]) => [type, status] as const)
    .filter(([, status]) => status !== 503),
]);
