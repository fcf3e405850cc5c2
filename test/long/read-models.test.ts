// Tests that, for any sequence of commands, three read models have equal rows: those written
// command by command, those rebuilt from the log, and those computed from the state. In memory and
// in Postgres.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { seal } from '../../events/seal.ts';
import { emptyState, fold, streamVersion } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { contentHashOf, contentHashText } from '../../projections/content-hash.ts';
import {
  advanceReadModel,
  buildReadModel,
  emptyCursor,
  verifyReadModel,
} from '../../projections/read-model.ts';
import { splitCommands, writesOf } from '../../projections/rows.ts';
import type { CommandEvents, Cursor } from '../../projections/rows.ts';
import { entityTables } from '../../projections/tables/all.ts';
import type { Row } from '../../projections/tables/table.ts';
import { appendEvents, lockLog, toRecorded } from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { commandSequence, eventsOf, logOf } from '../harness/events/commands.ts';
import { testMetadata } from '../harness/events/test-log.ts';
import type { TestLog } from '../harness/events/test-log.ts';
import { testLogDatabase } from '../harness/postgres/log-database.ts';
import { createMemoryTables } from '../harness/events/memory-tables.ts';
import { runs } from '../harness/property-runs.ts';

/** The commands of a log, each with all of its events. */
const commandsIn = ({ commands }: TestLog): readonly CommandEvents[] =>
  splitCommands(commands.flat()).commands;

/** Writes pages of `pageCommands` commands. */
function written(commands: readonly CommandEvents[], pageCommands: number) {
  const tables = createMemoryTables();
  let cursor = emptyCursor();
  for (let done = 0; done < commands.length; done += pageCommands) {
    const { after, writes } = writesOf(cursor, commands.slice(done, done + pageCommands));
    tables.write(writes);
    cursor = after;
  }
  return { rows: tables.rows(), cursor };
}

/** The rows of the current-state tables, computed from the state alone. */
function stated(state: ConfigState): Readonly<Record<string, readonly Row[]>> {
  const tables = createMemoryTables();
  tables.write(
    entityTables.map((table) => ({
      table,
      owners: [],
      rows: [...state[table.noun].byId.keys()].flatMap((id) => table.rows(state, id)),
    })),
  );
  return tables.rows();
}

describe('for any sequence of commands', () => {
  it('tables written inline are those rebuilt in pages, and what the fold says', () => {
    fc.assert(
      fc.property(
        commandSequence(60),
        fc.integer({ min: 2, max: 20 }),
        (sequence, pageCommands) => {
          const commands = commandsIn(logOf(sequence));
          const inline = written(commands, 1);
          const rebuilt = written(commands, pageCommands);
          assert.deepEqual(rebuilt.rows, inline.rows);
          assert.deepEqual(rebuilt.cursor.state, inline.cursor.state);
          const state = fold(emptyState, commands.flat());
          assert.deepEqual(state, inline.cursor.state);
          const present = stated(state);
          for (const { name } of entityTables) assert.deepEqual(inline.rows[name], present[name]);
          assert.equal(
            contentHashText(inline.cursor.content),
            contentHashText(contentHashOf(state)),
          );
        },
      ),
      runs(100),
    );
  });
});

/** Appends as the command path does, without a control plane. */
async function append(db: Database, before: Cursor, command: Command): Promise<Cursor> {
  const events = eventsOf(before.state, command);
  if (events.length === 0) return before;
  return db.tx(async (tx) => {
    const sealed = seal(events, await lockLog(tx), {
      txId: randomUUID(),
      at: Date.now(),
      newId: randomUUID,
      streamVersion: (stream) => streamVersion(before.state, stream),
      metadata: testMetadata(command.type),
    });
    await appendEvents(tx, sealed);
    const [fresh] = splitCommands(sealed.map(toRecorded)).commands;
    assert.ok(fresh);
    return advanceReadModel(tx, { cursor: before }, fresh);
  });
}

describe('in Postgres', () => {
  it('tables written inline are those rebuilt from the log', async (t) => {
    const { numRuns } = runs(10);
    // Sequences share one log, because creating a database for each would take most of the time.
    const perDatabase = 50;
    for (let done = 0; done < numRuns; done += perDatabase) {
      const db = await testLogDatabase(t);
      let cursor = await buildReadModel(db);
      const count = Math.min(perDatabase, numRuns - done);
      const seed = 1 + done;
      for (const sequence of fc.sample(commandSequence(20), { numRuns: count, seed })) {
        for (const command of sequence) cursor = await append(db, cursor, command);
      }
      const wrong = (await verifyReadModel(db)).tables.filter(({ equal }) => !equal);
      assert.deepEqual(wrong, [], `seed ${seed}`);
    }
  });
});
