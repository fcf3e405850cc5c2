// Writes the access review as CSV (RFC 4180), one line for each way in which a principal may invoke
// a model. Cells that a spreadsheet would read as a formula become text (OWASP, "CSV Injection").

import type { AccessRow } from '../../projections/access-review.ts';

const columns = [
  'principal_id',
  'principal',
  'model_id',
  'model',
  'role',
  'resource',
  'keys',
  'role_granted_position',
  'role_granted_at',
  'role_granted_by',
  'permission_granted_position',
  'permission_granted_at',
  'permission_granted_by',
];

const csvHead = `${columns.join(',')}\r\n`;

const csvLines = ({ via, ...row }: AccessRow): string =>
  via
    .map(({ role, resource, role_granted: held, permission_granted: given }) => {
      const cells = [
        row.principal_id,
        row.principal,
        row.model_id,
        row.model,
        role,
        resource,
        row.keys.join(' '),
        ...[held, given].flatMap((grant) => [
          grant?.position ?? '',
          grant?.at ?? '',
          grant?.actor_name ?? grant?.actor_id ?? grant?.actor_kind ?? '',
        ]),
      ];
      return `${cells.map(csvCell).join(',')}\r\n`;
    })
    .join('');

export function* csvPieces(rows: Iterable<AccessRow>): Generator<string> {
  yield csvHead;
  for (const row of rows) yield csvLines(row);
}

export function csvCell(value: string | number): string {
  const text = String(value);
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
