// Tests states of the past on a real log: they equal a fold that stops there, with or without
// checkpoints, and contain whole commands only.

import assert from 'node:assert/strict';
import { before, describe, it, after } from 'node:test';

import { sql } from '@databases/pg';

import { packState } from '../../../projections/config/packed.ts';
import { emptyState, fold, foldVersion } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { keepCheckpoints, stateBefore } from '../../../src/control/history/checkpoints.ts';
import type { Moment } from '../../../src/control/history/moment.ts';
import { createPastStates } from '../../../src/control/history/states.ts';
import { readEvents } from '../../../src/db/log/event-log.ts';
import { checkpointPositions } from '../../../src/db/log/state-checkpoints.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { modelId } from '../../../src/lib/ids.ts';
import { snapshotVersion } from '../../../src/lib/snapshot-version.ts';
import { appendCommand, openLogDatabase } from '../../harness/postgres/log-database.ts';
import type { LogDatabase } from '../../harness/postgres/log-database.ts';

let log: LogDatabase;
let live: ConfigState = emptyState;
const commandEvents = 5;
const commands = 20;

before(async () => {
  log = await openLogDatabase();
  for (let at = 0; at < commands; at++) {
    const id = modelId.parse(at + 1);
    const stream = `model-${id}`;
    const priced = Array.from({ length: commandEvents - 1 }, (_, price) => ({
      stream,
      type: 'ModelPriced' as const,
      data: { id, input_price_per_mtok: price, output_price_per_mtok: price },
    }));
    const data = { id, name: `model-${id}`, description: null };
    live = await appendCommand(log.db, live, [{ stream, type: 'ModelCreated', data }, ...priced]);
  }
});
after(() => log.close());

const pastStates = () =>
  createPastStates({
    db: log.db,
    store: { state: () => live, rereads: () => 0 },
    catchUp: async () => undefined,
  });

async function stateAt(moment: Moment, states = pastStates()): Promise<ConfigState> {
  const state = await states.at(moment, 'as_of');
  if (isRefusal(state)) assert.fail(state.message);
  return state;
}

async function refused(moment: Moment) {
  const refusal = await pastStates().at(moment, 'as_of');
  return isRefusal(refusal) ? [refusal.refused, refusal.message, refusal.param] : null;
}

const epoch = (count: number): number => snapshotVersion({ epoch: count, position: 0 });

const folded = async (position: number): Promise<string> =>
  packState(fold(emptyState, await readEvents(log.db, { after: 0, limit: position })));

describe('the state of the past', () => {
  it('equals the fold up to the end of the command', async () => {
    const states = pastStates();
    for (const position of [1, 5, 6, 33, 97, 12, 100]) {
      const end = Math.ceil(position / commandEvents) * commandEvents;
      assert.equal(packState(await stateAt({ position }, states)), await folded(end));
    }
  });

  it('is found by time', async () => {
    const events = await readEvents(log.db, { after: 0, limit: 100 });
    for (const { recordedAt } of events) {
      const last = events.findLast((one) => one.recordedAt <= recordedAt);
      assert.equal((await stateAt({ at: recordedAt })).position, last?.position);
    }
    assert.equal((await stateAt({ at: Date.now() + 1000 })).position, 100);
  });

  it('is refused outside of the log with the valid range', async () => {
    const range = 'out of range; the log has positions 1 to 100';
    assert.deepEqual(await refused({ position: 0 }), ['absent', `as_of: 0 is ${range}`, 'as_of']);
    assert.deepEqual(await refused({ position: 101 }), [
      'absent',
      `as_of: 101 is ${range}`,
      'as_of',
    ]);
    const early = 'as_of: the log starts after 1970-01-01T00:00:00.001Z';
    assert.deepEqual(await refused({ at: 1 }), ['absent', early, 'as_of']);
  });

  it('is refused for a version whose epoch differs or never existed', async () => {
    const later = await openLogDatabase();
    const data = { id: modelId.parse(1), name: 'model-1', description: null };
    const made = { stream: 'model-1', type: 'ModelCreated', data } as const;
    const begun = { stream: 'settings-1', type: 'LogEpochStarted', data: { epoch: 1 } } as const;
    let now = await appendCommand(later.db, emptyState, [made]);
    now = await appendCommand(later.db, now, [begun]);
    const states = createPastStates({
      db: later.db,
      store: { state: () => now, rereads: () => 0 },
      catchUp: async () => undefined,
    });
    const answered = async (position: number) => {
      const state = await states.at({ position }, 'as_of');
      return isRefusal(state) ? state.message : state.position;
    };
    try {
      assert.equal(await answered(1), 1);
      assert.equal(await answered(2), 2);
      assert.equal(await answered(epoch(1) + 2), 2);
      for (const version of [epoch(1) + 1, epoch(2) + 2]) {
        const other = `as_of: snapshot version ${version} belongs to a different log`;
        assert.equal(await answered(version), other);
      }
      const beyond = `as_of: ${epoch(1) + 3} is out of range; the log has positions 1 to 2`;
      assert.equal(await answered(epoch(1) + 3), beyond);
    } finally {
      await later.close();
    }
  });
});

describe('state checkpoints', () => {
  it('are written at intervals, once; the newest and one per month are kept', async () => {
    assert.equal(await keepCheckpoints(log.db, live, { everyEvents: 10, kept: 50 }), 10);
    assert.equal(await keepCheckpoints(log.db, live, { everyEvents: 10, kept: 50 }), 0);
    const tens = Array.from({ length: 10 }, (_, at) => (at + 1) * 10);
    assert.deepEqual(await checkpointPositions(log.db, foldVersion), tens);
    // Those of other folds are deleted a week after creation, and the oldest of a month before is
    // kept.
    await log.db.query(sql`
      insert into op.state_checkpoints
      select 999, position, recorded_at, created_at - interval '8 days', state_zstd, state_hash
      from op.state_checkpoints`);
    await log.db.query(sql`
      update op.state_checkpoints set recorded_at = '2020-01-01' where position <= 30`);
    assert.equal(await keepCheckpoints(log.db, live, { everyEvents: 5, kept: 3 }), 0);
    await log.db.query(sql`delete from op.state_checkpoints where position = 100`);
    assert.equal(await keepCheckpoints(log.db, live, { everyEvents: 10, kept: 3 }), 1);
    assert.deepEqual(await checkpointPositions(log.db, foldVersion), [30, 80, 90, 100]);
    assert.deepEqual(await checkpointPositions(log.db, 999), []);
  });

  it('are further apart the more entities a state has', async () => {
    await log.db.query(sql`delete from op.state_checkpoints`);
    await keepCheckpoints(log.db, live, { everyEvents: 1, kept: 200 });
    const positions = await checkpointPositions(log.db, foldVersion);
    const gaps = positions.map((position, at) => position - (positions[at - 1] ?? 0));
    // A fifth of 10 entities from event 46 on, of 15 from event 71 on, and of 20 at the end.
    assert.deepEqual(new Set(gaps.filter((_gap, at) => (positions[at] ?? 0) <= 46)), new Set([1]));
    assert.deepEqual([...new Set(gaps)], [1, 2, 3, 4]);
    assert.ok((positions.at(-1) ?? 0) > 95);
  });

  it('store the state in memory if only one is due, unless the log has another event', async () => {
    const plan = { everyEvents: 60, kept: 200 };
    await log.db.query(sql`delete from op.state_checkpoints`);
    await keepCheckpoints(log.db, { ...live, hash: '00'.repeat(32) }, plan);
    assert.deepEqual(await checkpointPositions(log.db, foldVersion), []);
    assert.equal(await keepCheckpoints(log.db, live, plan), 1);
    assert.deepEqual(await checkpointPositions(log.db, foldVersion), [100]);
    assert.equal(packState(await stateBefore(log.db, 100)), await folded(100));
    // The next test damages these.
    await log.db.query(sql`delete from op.state_checkpoints`);
    await keepCheckpoints(log.db, live, { everyEvents: 10, kept: 50 });
  });

  it('change no result, and a damaged one is skipped', async () => {
    const expected = await folded(95);
    assert.equal(packState(await stateAt({ position: 95 })), expected);
    await log.db.query(sql`
      update op.state_checkpoints set state_zstd = 'no frame' where position = 90`);
    await log.db.query(sql`
      update op.state_checkpoints set state_hash = sha256('else') where position = 80`);
    assert.equal(packState(await stateAt({ position: 95 })), expected);
  });
});
