// Reads the errors of chat servers, in any variant of the chat API (wire reference 2.6).

import { messageCharactersMax } from '../chat-answer.ts';
import { isObject, member, objectOf, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { errorTypes } from '../messages/error.ts';

/** Null if the error has no message. */
export function errorMessage(value: unknown): string | null {
  if (!isObject(value)) return null;
  const error = objectOf(value, 'error');
  const message =
    (error === null ? textOf(value, 'error') : textOf(error, 'message')) ??
    textOf(value, 'message') ??
    detailOf(member(value, 'detail'));
  return message === null ? null : message.slice(0, messageCharactersMax);
}

/** Web frameworks report validation errors as a text or a list of problems. */
function detailOf(detail: unknown): string | null {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return null;
  const messages = detail.filter(isObject).flatMap((one) => textOf(one, 'msg') ?? []);
  return messages.length === 0 ? null : messages.join('; ');
}

/** For an error that arrived with status 200. Defaults to 502. */
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
  ...[...errorTypes]
    .map(([status, type]) => [type, status] as const)
    .filter(([, status]) => status !== 503),
]);
