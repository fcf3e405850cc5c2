// The operational tables, typed from the database (scripts/generate-schema.ts writes the types).

import definePgTables from '@databases/pg-typed';

import type DatabaseSchema from './generated/schema.d.ts';
import databaseSchema from './generated/schema.json' with { type: 'json' };
import serializeValue from './generated/serialize-value.ts';

export const operations = definePgTables.default<DatabaseSchema>({
  databaseSchema,
  schemaName: 'op',
  serializeValue,
});
