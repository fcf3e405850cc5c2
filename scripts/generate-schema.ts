// Writes the types of the operational tables from a freshly migrated database: node scripts/generate-schema.ts <server url>.
// Run it by hand after a migration that changes schema `op`; a test says when that was forgotten.

import { join } from 'node:path';
import { argv } from 'node:process';

import generate from '@databases/pg-schema-cli';

import { createDatabase, dropDatabase } from '../src/db/administer.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/pool.ts';

export const generatedDirectory = join(import.meta.dirname, '../src/db/generated');

/** `serverUrl` names any database of a server on which a scratch database may be made. */
export async function generateSchema(serverUrl: string, directory: string): Promise<void> {
  const name = `gw_schema_${process.pid}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await createDatabase(serverUrl, { name, template: 'template0' });
  try {
    const db = openDatabase({
      url: url.href,
      purpose: 'maintenance',
      applicationName: 'gw schema',
      connectionsMax: 1,
    });
    await migrate(db);
    await db.dispose();
    const config = join(import.meta.dirname, 'pg-schema.json');
    const from = ['--database', url.href, '--schemaName', 'op'];
    await generate.default('/', [...from, '--config', config, '--directory', directory]);
  } finally {
    await dropDatabase(serverUrl, name);
  }
}

const serverUrl = argv[2];
if (import.meta.main && serverUrl !== undefined)
  await generateSchema(serverUrl, generatedDirectory);
