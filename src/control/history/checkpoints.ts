// Stores checkpoints of the state, so that folding a past state is fast. The time between two grows
// with the state, so that a change costs the same at any size. Unreadable checkpoints are skipped.

import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createZstdCompress, zstdDecompress } from 'node:zlib';

import type { Queryable } from '@databases/pg';

import { packedTexts, unpackState } from '../../../projections/config/packed.ts';
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

/**
 * A checkpoint is due after `everyEvents` events, or after a fifth of the number of entities if that
 * is more. Keeps the `kept` newest checkpoints, and one per month of older ones.
 */
export type CheckpointPlan = Readonly<{ everyEvents: number; kept: number }>;

/** Covers at least two million events. */
export const checkpointPlan: CheckpointPlan = { everyEvents: 10_000, kept: 200 };
/** Reading a checkpoint costs about as much for an entity as folding this share of an event. */
const eventsPerEntity = 0.2;

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
 * Writes the checkpoints that are due up to `live` and deletes unneeded ones. Any replica can run
 * it. Returns the number written.
 */
export async function keepCheckpoints(
  db: Database,
  live: ConfigState,
  plan: CheckpointPlan = checkpointPlan,
): Promise<number> {
  const [newest = 0] = (await checkpointPositions(db, foldVersion)).slice(-1);
  const behind = live.position - newest;
  const spacing = spacingAfter(live, plan);
  if (behind < spacing) return 0;
  // The state in memory is stored as it is, unless others are due before it.
  const isLast = behind < 2 * spacing;
  if (isLast) await writeCheckpoint(db, live);
  const written = isLast ? 1 : await writeMissing(db, { newest, live, plan });
  await thinCheckpoints(db, { foldVersion, kept: plan.kept });
  return written;
}

type Missing = Readonly<{ newest: number; live: ConfigState; plan: CheckpointPlan }>;

async function writeMissing(db: Database, { newest, live, plan }: Missing): Promise<number> {
  let state = await stateBefore(db, newest);
  let written = 0;
  for (;;) {
    const due = Math.max(newest, state.position) + spacingAfter(state, plan);
    if (due > live.position) return written;
    state = await foldStateTo(db, state, due);
    await writeCheckpoint(db, state);
    written += 1;
  }
}

const spacingAfter = (state: ConfigState, { everyEvents }: CheckpointPlan): number =>
  Math.max(everyEvents, Math.floor(entityCount(state) * eventsPerEntity));

/** Includes deleted entities. */
export const entityCount = (state: ConfigState): number =>
  state.principal.versions.size +
  state.api_key.versions.size +
  state.provider.versions.size +
  state.model.versions.size +
  state.frontend_model.versions.size +
  state.pool.versions.size +
  state.prompt_class.versions.size;

/** Characters that are compressed at a time. Other work runs in between. */
const pieceChars = 256 * 1024;

async function writeCheckpoint(db: Queryable, state: ConfigState): Promise<void> {
  const digest = createHash('sha256');
  const pieces = Readable.from(piecesOf(state, (piece) => void digest.update(piece)));
  await insertCheckpoint(db, {
    foldVersion,
    position: state.position,
    eventHash: Buffer.from(state.hash, 'hex'),
    state: await buffer(pieces.compose(createZstdCompress())),
    hash: digest.digest(),
  });
}

function* piecesOf(state: ConfigState, onPiece: (piece: Buffer) => void): Generator<Buffer> {
  let texts: string[] = [];
  let chars = 0;
  const piece = (): Buffer => {
    const bytes = Buffer.from(texts.join(''));
    onPiece(bytes);
    [texts, chars] = [[], 0];
    return bytes;
  };
  for (const text of packedTexts(state)) {
    texts.push(text);
    chars += text.length;
    if (chars >= pieceChars) yield piece();
  }
  yield piece();
}
