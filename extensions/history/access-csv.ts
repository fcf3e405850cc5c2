// Writes the access review as CSV (RFC 4180), one line for each way in which a principal may invoke
// a model. Cells that a spreadsheet would read as a formula become text (OWASP, "CSV Injection").

import type { AccessRow } from '../../projections/access-review.ts';
import { csvLine } from '../../src/lib/csv.ts';

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
      return csvLine(cells);
    })
    .join('');

export function* csvPieces(rows: Iterable<AccessRow>): Generator<string> {
  yield csvLine(columns);
  for (const row of rows) yield csvLines(row);
}
