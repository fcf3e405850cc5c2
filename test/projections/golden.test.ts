// Tests the golden log: stored bytes of every event type, never edited, and this release's results for them. A
// difference means that a log in production would hash, fold or project differently after an update. Write an
// intended one with `node --test --test-update-snapshots`. A change of a table's rows raises its version and
// creates a new file.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { catalogue } from '../../events/catalogue.ts';
import { chainHash, digest, genesisHash, leafHash } from '../../events/seal.ts';
import { IdMap } from '../../projections/config/id-map.ts';
import { emptyState } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { contentHashText } from '../../projections/content-hash.ts';
import { emptyCursor } from '../../projections/read-model.ts';
import { splitCommands, writesOf } from '../../projections/rows.ts';
import { entityTables, journalTables } from '../../projections/tables/all.ts';
import { snapshotConfig } from '../../projections/snapshot.ts';
import { toRecorded } from '../../src/db/log/event-log.ts';
import type { StoredEvent } from '../../src/db/log/event-log.ts';
import { canonicalJson } from '../../src/lib/canonical-json.ts';
import { configHash } from '../../src/snapshot/hash.ts';
import { deepFreeze, testLogId } from '../harness/events/test-log.ts';

const directory = join(import.meta.dirname, '../fixtures/golden');

const storedLine = z.strictObject({
  position: z.int(),
  stream: z.string(),
  version: z.int(),
  eventId: z.uuid(),
  type: z.string(),
  schema: z.int(),
  txId: z.uuid(),
  recordedAt: z.int(),
  metadata: z.string(),
  payload: z.string(),
});

function readGoldenLog(): StoredEvent[] {
  const lines = readFileSync(join(directory, 'log.ndjson'), 'utf8').trimEnd().split('\n');
  const log: StoredEvent[] = [];
  let previous = genesisHash(testLogId);
  for (const line of lines) {
    const event = storedLine.parse(JSON.parse(line));
    const leaf = { ...event, payloadDigest: digest(event.payload) };
    const leafDigest = leafHash(leaf);
    previous = chainHash(previous, leafDigest);
    log.push({ ...leaf, leafHash: leafDigest, hash: previous });
  }
  return log;
}

const events = deepFreeze(readGoldenLog().map(toRecorded));
const { commands, rest } = splitCommands(events);

/** The cursor after each command. */
function cursors() {
  let cursor = emptyCursor();
  return commands.map((command) => (cursor = writesOf(cursor, [command]).after));
}

const stateDigest = (state: ConfigState): string =>
  hash(
    'sha256',
    canonicalJson(
      JSON.parse(
        JSON.stringify(state, (_, value: unknown) => (value instanceof IdMap ? [...value] : value)),
      ),
    ),
  );

describe('the golden log', () => {
  it('holds every event type, in whole commands', () => {
    const types = new Set(events.map(({ type }) => type));
    assert.deepEqual([...types].toSorted(), Object.keys(catalogue).toSorted());
    assert.deepEqual(rest, []);
  });

  it('has the same state, configuration and chain after every command', (t) => {
    const made = cursors().map(({ state, content }) => ({
      position: state.position,
      version: state.version,
      hash: state.hash,
      state: stateDigest(state),
      content: contentHashText(content),
    }));
    t.assert.fileSnapshot(made, join(directory, 'states.json'));
  });

  it('has at its end the configuration that proxies get', (t) => {
    const last = cursors().at(-1);
    assert.ok(last);
    const config = snapshotConfig(last.state);
    assert.equal(configHash(config), contentHashText(last.content));
    t.assert.fileSnapshot(config, join(directory, 'config.json'));
  });

  for (const table of entityTables) {
    it(`leaves the same rows in ${table.name}`, (t) => {
      const state = cursors().at(-1)?.state ?? emptyState;
      const ids = [...state[table.noun].byId.keys()].toSorted((a, b) => a - b);
      const rows = ids.flatMap((id) => table.rows(state, id));
      t.assert.fileSnapshot(rows, join(directory, `${table.name}.v${table.version}.json`));
    });
  }

  for (const table of journalTables) {
    it(`leaves the same rows in ${table.name}`, (t) => {
      const { writes } = writesOf(emptyCursor(), commands);
      const rows = writes.find((write) => write.table === table)?.rows;
      t.assert.fileSnapshot(rows, join(directory, `${table.name}.v${table.version}.json`));
    });
  }
});
