// Reads the configuration at any moment of the log by folding on from the nearest stored state, in
// memory or in a checkpoint. A position within a multi-event mutation resolves to its last event;
// partial states are never exposed.

import type { ConfigState } from '../../../projections/config/state.ts';
import { foldStateTo } from '../../../projections/read-model-fold.ts';
import { commandEnd, lastPositionAt } from '../../db/log/event-log.ts';
import type { Database } from '../../db/pool.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { epochOfVersion, positionOfVersion } from '../../lib/snapshot-version.ts';
import type { ConfigStore } from '../publishing/config-store.ts';
import { createSlots } from '../slots.ts';
import { entityCount, stateBefore } from './checkpoints.ts';
import type { Moment } from './moment.ts';

export type PastStates = Readonly<{
  /**
   * `named` is the field that a refusal names: `absent` for a moment outside of the log,
   * `unavailable` for too many concurrent reads.
   */
  at: (moment: Moment, named: string) => Promise<ConfigState | Refusal>;
}>;

type Dependencies = Readonly<{
  db: Database;
  store: Pick<ConfigStore, 'state' | 'rereads'>;
  /** Reads the log to its head. */
  catchUp: () => Promise<void>;
}>;

/** The limits of the cache in memory. An entity counts once per state. */
const statesMax = 16;
const entitiesMax = 300_000;

export function createPastStates({ db, store, catchUp }: Dependencies): PastStates {
  const live = store.state;
  let cache = { rereads: store.rereads(), states: createStateCache() };
  /** Drops states of events that the log no longer contains. */
  const keptStates = (): StateCache => {
    const rereads = store.rereads();
    if (cache.rereads !== rereads) cache = { rereads, states: createStateCache() };
    return cache.states;
  };
  // A fold uses a core for about 100 ms.
  const slots = createSlots({ parallelMax: 2, waitingMax: 64, what: 'requests for past states' });

  const fold = async (position: number): Promise<ConfigState> => {
    const kept = keptStates();
    const near = kept.before(position);
    if (near?.position === position) return near;
    const stored = await stateBefore(db, position);
    const from = near !== null && near.position >= stored.position ? near : stored;
    const state = await foldStateTo(db, from, position);
    kept.add(state);
    return state;
  };

  return {
    at: async (asked, named) => {
      // The state must include everything acknowledged before this call.
      if ('at' in asked || positionOfVersion(asked.position) > live().position) await catchUp();
      const position = await positionOf(db, asked, { named, head: live().position });
      if (isRefusal(position)) return position;
      const current = live();
      const state =
        current.position === position
          ? current
          : (keptStates().exactly(position) ?? (await slots.run(() => fold(position))));
      if (isRefusal(state) || 'at' in asked || isOf(state, asked.position)) return state;
      const message = `${named}: snapshot version ${asked.position} belongs to a different log`;
      return refuse('absent', message, { param: named });
    },
  };
}

/**
 * A snapshot version is a position with an epoch in its upper digits. A plain position matches any
 * epoch.
 */
function isOf(state: ConfigState, version: number): boolean {
  const epoch = epochOfVersion(version);
  return epoch === 0 || epoch === epochOfVersion(state.version);
}

async function positionOf(
  db: Database,
  moment: Moment,
  { named, head }: Readonly<{ named: string; head: number }>,
): Promise<number | Refusal> {
  if ('at' in moment) {
    const found = await lastPositionAt(db, new Date(moment.at));
    const time = toRfc3339(moment.at);
    return found ?? refuse('absent', `${named}: the log starts after ${time}`, { param: named });
  }
  const position = positionOfVersion(moment.position);
  const end = position > head ? null : await commandEnd(db, position);
  const message = `${named}: ${moment.position} is out of range; the log has positions 1 to ${head}`;
  return end ?? refuse('absent', message, { param: named });
}

type StateCache = ReturnType<typeof createStateCache>;

function createStateCache() {
  const kept = new Map<number, ConfigState>();
  const use = (state: ConfigState): ConfigState => {
    kept.delete(state.position);
    kept.set(state.position, state);
    return state;
  };
  return {
    exactly: (position: number): ConfigState | null => {
      const state = kept.get(position);
      return state === undefined ? null : use(state);
    },
    /** The last state at `position` or before. */
    before: (position: number): ConfigState | null => {
      const positions = [...kept.keys()].filter((one) => one <= position);
      const state = kept.get(Math.max(...positions));
      return state === undefined ? null : use(state);
    },
    add: (state: ConfigState): void => {
      use(state);
      let entities = 0;
      for (const [at, [position, held]] of [...kept].toReversed().entries()) {
        entities += entityCount(held);
        // Keeps the newest state, however large.
        if (at > 0 && (at >= statesMax || entities > entitiesMax)) kept.delete(position);
      }
    },
  };
}
