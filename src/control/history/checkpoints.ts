// Stores a checkpoint of the state every 10,000 events, so that folding a past state is fast.
// Unreadable checkpoints are skipped.

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

import type { Queryable } from '@databases/pg';

import { packState, unpackState } from '../../../projections/config/packed.ts';
import { emptyState, foldVersion } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { foldStateTo } from '../../../projections/read-model-fold.ts';
import type { Database } from '../../db/pool.ts';
import {
  checkpointBefore,
  checkpointPositions,
  insertCheckpoint,
  thinCheckpoints,
} from '../../db/log/state-checkpoints.ts';

/** Keeps the `kept` newest checkpoints, and one per month of older ones. */
export type CheckpointPlan = Readonly<{ everyEvents: number; kept: number }>;

/** Covers two million events. */
export const checkpointPlan: CheckpointPlan = { everyEvents: 10_000, kept: 200 };

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The empty state if there is none. */
export async function stateBefore(db: Queryable, position: number): Promise<ConfigState> {
  const held = await checkpointBefore(db, { foldVersion, position });
  if (held === null) return emptyState;
  const text = (await decompress(held.state).catch(() => Buffer.alloc(0))).toString('utf8');
  const isWhole = hash('sha256', text, 'hex') === held.hash.toString('hex');
  return isWhole ? unpackState(text) : stateBefore(db, held.position - 1);
}

/**
 * Writes the checkpoints that are due up to `head` and deletes unneeded ones. Any replica can run
 * it. Returns the number written.
 */
export async function keepCheckpoints(
  db: Database,
  head: number,
  { everyEvents, kept }: CheckpointPlan = checkpointPlan,
): Promise<number> {
  const last = Math.floor(head / everyEvents) * everyEvents;
  const [newest = 0] = (await checkpointPositions(db, foldVersion)).slice(-1);
  if (newest >= last) return 0;
  let state = await stateBefore(db, newest);
  let written = 0;
  const first = Math.floor(newest / everyEvents) * everyEvents + everyEvents;
  for (let due = first; due <= last; due += everyEvents) {
    state = await foldStateTo(db, state, due);
    await writeCheckpoint(db, state);
    written += 1;
  }
  await thinCheckpoints(db, { foldVersion, kept });
  return written;
}

async function writeCheckpoint(db: Queryable, state: ConfigState): Promise<void> {
  const text = packState(state);
  await insertCheckpoint(db, {
    foldVersion,
    position: state.position,
    state: await compress(text),
    hash: Buffer.from(hash('sha256', text, 'hex'), 'hex'),
  });
}
