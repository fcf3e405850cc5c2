// Rebuilds a log in an empty database from its export. gw verifies each event before writing it,
// and the database verifies it again. Data derived from the log is rebuilt. Other data (secrets and
// personal data, usage, sessions, leases) is not restored.

import type { Queryable } from '@databases/pg';

import { genesisHash } from '../../../events/seal.ts';
import { allNouns } from '../../../events/nouns.ts';
import { vaultRefs } from '../../../projections/config/vault-refs.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { buildReadModel } from '../../../projections/read-model.ts';
import { appendEvents, toRecorded } from '../../db/log/event-log.ts';
import type { StoredEvent } from '../../db/log/event-log.ts';
import { migrate } from '../../db/migrate.ts';
import type { Database } from '../../db/pool.ts';
import { adoptLog, countMissing, insertVaultRows, readVaultRows } from '../../db/log/replay.ts';
import { insertSignedCheckpoint } from '../../db/log/signed-checkpoints.ts';
import { deleteUnnamedItems, eraseReturnedItems } from '../../db/vault-check.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { keepBudgetRows } from '../usage/budget-rows.ts';
import { readExport } from './read-export.ts';
import type { ExportRead } from './read-export.ts';

export type Replayed = Readonly<{
  check: ExportRead;
  version: number;
  /**
   * Vault items that the configuration refers to and that are missing. Entities that need them do
   * not work.
   */
  missing: number;
}>;

type Sources = Readonly<{
  /** Begins with the first event. Lines have no line ends. */
  log: AsyncIterable<string>;
  /** The output of `vaultLines`. Null leaves the vault empty. */
  vault: AsyncIterable<string> | null;
}>;

/** Replays everything or nothing. Refuses a database that already contains a log. */
export async function replayLog(db: Database, sources: Sources): Promise<Replayed | Refusal> {
  await migrate(db);
  const refused: { refusal: Refusal | null } = { refusal: null };
  const undo = new Error('the replay is undone');
  const attempt = db.tx(async (tx) => {
    const done = await writeAll(tx, sources);
    if (!isRefusal(done)) return done;
    refused.refusal = done;
    throw undo;
  });
  const check = await attempt.catch((error: unknown) => {
    if (error !== undo) throw error;
    return null;
  });
  if (check === null) return refused.refusal ?? refuse('invalid', undo.message);
  const { state } = await buildReadModel(db);
  return { check, version: state.version, missing: await countMissing(db, refsOf(state)) };
}

type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

const pageEvents = 1_000;

async function writeAll(tx: Transaction, sources: Sources): Promise<ExportRead | Refusal> {
  let page: StoredEvent[] = [];
  const flush = async (): Promise<void> => {
    const events = page.map((event) => {
      const { payload } = event;
      if (payload === null) throw new Error(`event ${event.position} was redacted`);
      return { ...event, payload };
    });
    page = [];
    if (events.length === 0) return;
    await appendEvents(tx, events);
    await keepBudgetRows(tx, events.map(toRecorded));
  };
  let refusal: Refusal | null = null;
  const check = await readExport(sources.log, {
    onHead: async ({ logId, from }) => {
      if (from > 1)
        refusal = refuse(
          'invalid',
          `the export starts at position ${from}; replay needs an export from position 1`,
        );
      else if (!(await adoptLog(tx, { logId, hash: genesisHash(logId) }))) {
        refusal = refuse('conflict', 'the database already contains a log; use an empty database');
      }
      if (refusal !== null) throw new RefusedReplay(refusal);
    },
    onEvent: async (event) => {
      page.push(event);
      if (page.length === pageEvents) await flush();
    },
    onCheckpoint: async ({ position, note }) => {
      await flush();
      await insertSignedCheckpoint(tx, { position, note, created_at: new Date() });
    },
  }).catch((error: unknown) => {
    if (error instanceof RefusedReplay) return error.refusal;
    throw error;
  });
  if (isRefusal(check)) return check;
  if (check.problem !== null) {
    const { position, problem } = check.problem;
    return refuse('invalid', `the export is invalid at position ${position}: ${problem}`);
  }
  await flush();
  if (sources.vault !== null) {
    await writeVault(tx, sources.vault);
    await deleteUnnamedItems(tx);
    await eraseReturnedItems(tx, new Date());
  }
  return check;
}

class RefusedReplay extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const pageItems = 500;

/** One line of JSON per item, sealed with the encryption key. */
export async function* vaultLines(db: Queryable): AsyncGenerator<string, void, undefined> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await readVaultRows(db, { after, limit: pageItems });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ row }) => `${row}\n`).join('');
    after = last.ref;
  }
}

async function writeVault(tx: Transaction, lines: AsyncIterable<string>): Promise<void> {
  let page: string[] = [];
  const flush = async (): Promise<void> => {
    await insertVaultRows(tx, `[${page.join(',')}]`);
    page = [];
  };
  for await (const line of lines) {
    page.push(line);
    if (page.length === pageItems) await flush();
  }
  await flush();
}

/** Includes the refs of names of people. */
const refsOf = (state: ConfigState): readonly string[] => [
  ...allNouns.flatMap(({ noun }) =>
    [...state[noun].byId.keys()].flatMap((id) => vaultRefs(state, `${noun}-${id}`)),
  ),
  ...[...state.principal.byId.values()].flatMap(({ name }) =>
    name.ref === null ? [] : [name.ref],
  ),
];
