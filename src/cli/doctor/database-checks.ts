// Checks the database of a control plane: that it can be used, its clock, rights and schema, and the encryption key.

import { vaultKeyIds } from '../../db/operations/backup-facts.ts';
import { checkSessions } from '../../db/connections/pooler.ts';
import { planMigrations } from '../../db/migrate.ts';
import { missingRights } from '../../db/rights.ts';
import { readServer } from '../../db/operations/server.ts';
import { keyId } from '../../db/vault.ts';
import { failed, ok, warning } from './check.ts';
import type { Check, Finding } from './check.ts';

type Run = Check['run'];

export const checkDatabase: Run = async ({ db, settings: { databaseUrl } }) => {
  if (db === null || databaseUrl === null) return [];
  await checkSessions(databaseUrl);
  const { version, isReadOnly, freeConnections } = await readServer(db);
  const findings: Finding[] = [ok(`Postgres ${version}`)];
  if (isReadOnly) findings.push(failed('it accepts no changes; connect gw to the primary server'));
  if (freeConnections < connectionsMin) {
    findings.push(
      warning(`${freeConnections} connections are free; raise max_connections of the server`),
    );
  }
  return findings;
};

const connectionsMin = 10;

export const clockWarningMs = 1000;
const clockFailureMs = 30_000;

export const checkClock: Run = async ({ db }) => {
  if (db === null) return [];
  const before = Date.now();
  const { now } = await readServer(db);
  const after = Date.now();
  // The server read its clock between these times.
  const offMs = Math.max(0, before - now, now - after);
  const differs = `the clock differs from that of the database by ${offMs} ms`;
  if (offMs >= clockFailureMs) return [failed(`${differs}; synchronise both by NTP`)];
  return [offMs >= clockWarningMs ? warning(`${differs}; synchronise both by NTP`) : ok(differs)];
};

export const checkRights: Run = async ({ db }) => {
  if (db === null) return [];
  const statements = await missingRights(db);
  if (statements.length === 0) return [ok('the login has every right')];
  const listed = statements.map((statement) => `${statement};`).join(' ');
  return [warning(`the start of gw grants these rights if the login may; else run: ${listed}`)];
};

export const checkSchema: Run = async ({ db }) => {
  if (db === null) return [];
  const { last, missing } = await planMigrations(db);
  if (missing.length === 0) return [ok(`migration ${last}, that of this release`)];
  return [warning(`${missing.length} migrations are pending; gw upgrade check says what they do`)];
};

export const checkKey: Run = async ({ db, settings }) => {
  const { encryptionKey, encryptionKeyPrevious } = settings;
  if (db === null || encryptionKey === null) return [];
  const own = [encryptionKey, encryptionKeyPrevious].flatMap((key) =>
    key === null ? [] : [keyId(Buffer.from(key, 'hex'))],
  );
  const used = await vaultKeyIds(db);
  const unknown = used.filter((id) => !own.includes(id));
  if (unknown.length > 0) {
    const given = `GW_ENCRYPTION_KEY is key ${own.join(' and ')}`;
    return [
      failed(`${given}, but data is encrypted with key ${unknown.join(', ')}; give that key`),
    ];
  }
  const [current = ''] = own;
  const rest = used.filter((id) => id !== current);
  return [
    rest.length === 0
      ? ok(`key ${current} opens the vault`)
      : warning('data is encrypted with the previous key; run gw reencrypt-backends'),
  ];
};
