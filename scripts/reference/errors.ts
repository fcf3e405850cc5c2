// The page of the errors: which codes each listener answers, with their status and type.

import { statusOf } from '../../src/admin/http/status.ts';
import { reasons } from '../../src/gateway/answer.ts';
import { code, generated, page, table } from './markdown.ts';

export const errorsPage = (): string =>
  page([
    '# Errors',
    generated,
    [
      'Both listeners answer errors as `{"error": {"message", "type", "param", "code",',
      '"request_id"}}`. `message` names the field and the value that was wrong, `param` the',
      'field alone. On `/v1/messages` and `/v1/messages/count_tokens` the body has the form of',
      'that API. An error of the backend itself is passed on with its own status and body.',
    ].join('\n'),
    '## The gateway',
    table(
      ['code', 'status', 'type'],
      Object.entries(reasons).map(([reason, [status, type]]) => [
        code(reason),
        String(status),
        code(type),
      ]),
    ),
    '## The admin API',
    table(
      ['code', 'status', 'type'],
      Object.entries(statusOf).map(([refused, { status, type }]) => [
        code(refused),
        String(status),
        code(type),
      ]),
    ),
  ]);
