// Builds the page of the errors: the codes that each listener answers, with their status, type, cause and remedy.

import { httpErrors, statusOf } from '../../src/admin/http/status.ts';
import { reasons } from '../../src/gateway/answer.ts';
import type { Explanation } from '../../src/lib/refusal.ts';
import { code, generated, page, table } from './markdown.ts';

export const errorsPage = (): string =>
  page([
    '# Errors',
    generated,
    [
      'Both listeners answer errors as `{"error": {"message", "type", "param", "code",',
      '"request_id"}}`. `message` names the wrong field and its value; `param` names the field',
      'alone. `/v1/messages` and `/v1/messages/count_tokens` use the error format of that API.',
      'Errors of a backend are passed on with their own status and body.',
    ].join('\n'),
    '## The gateway',
    errorsTable(reasons),
    '## The admin API',
    errorsTable({ ...statusOf, ...httpErrors }),
  ]);

type ErrorRow = Explanation & Readonly<{ status: number; type: string }>;

const errorsTable = (errors: Readonly<Record<string, ErrorRow>>): string =>
  table(
    ['code', 'status', 'type', 'cause', 'what to do'],
    Object.entries(errors).map(([name, { status, type, cause, remedy }]) => [
      code(name),
      String(status),
      code(type),
      `${cause}.`,
      `${remedy}.`,
    ]),
  );
