// Routes past requests on a proposed configuration and on the one to compare it with. Both sides
// evaluate the same rows, so differences are due to the proposal. Works in slices so that no
// request waits.

import type { ConfigState } from '../../projections/config/state.ts';
import type { Database } from '../../src/db/pool.ts';
import type { UsageRecord } from '../../src/db/usage/usage-events.ts';
import { sampleUsage } from '../../src/db/usage/usage-sample.ts';
import type { UsageWindow } from '../../src/db/usage/usage-sample.ts';
import { toRfc3339 } from '../../src/lib/clock.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { createYieldTurn, inSlices } from '../../src/lib/slices.ts';
import { createSlots } from '../../src/control/slots.ts';
import { servedState } from '../../src/control/history/explain.ts';
import type { PastStates } from '../../src/control/history/states.ts';
import { compareRow } from './compare-row.ts';
import { createSidesOf } from './sides.ts';
import type { Sides } from './sides.ts';
import { createTally } from './tally.ts';
import type { Summary } from './tally.ts';

export type WhatIfAsked = Readonly<{
  window: UsageWindow;
  /** The maximum numbers of compared and of listed changed requests. */
  requestsMax: number;
  changedMax: number;
  /** Need not correspond to any event. */
  before: ConfigState;
  after: ConfigState;
}>;

export type WhatIf = Summary &
  Readonly<{
    window: UsageWindow;
    /** At even distances in the window. */
    recorded: number;
    /** The window has older rows that were not sampled. */
    has_older: boolean;
    compared: number;
    /** Because of the time limit. */
    not_reached: number;
    /** Rows that do not name the version that served them are not compared. */
    without_version: number;
  }>;

export type AskWhatIf = (asked: WhatIfAsked) => Promise<WhatIf | Refusal>;

type Dependencies = Readonly<{
  core: () => Readonly<{ reports: Database; past: PastStates }>;
  monotonic: Clock;
}>;

const workMs = 15_000;
const dayMs = 24 * 60 * 60 * 1000;

/** Epoch milliseconds. */
export const lastDay = (nowMs: number): UsageWindow => ({
  since: toRfc3339(nowMs - dayMs),
  until: toRfc3339(nowMs),
});

export function createWhatIf(dependencies: Dependencies): AskWhatIf {
  const slots = createSlots({ parallelMax: 1, waitingMax: 4, what: 'what-ifs' });
  return (asked) => slots.run(() => compareAll(dependencies, asked));
}

async function compareAll(
  { core, monotonic }: Dependencies,
  { window, requestsMax, changedMax, before, after }: WhatIfAsked,
): Promise<WhatIf | Refusal> {
  const { reports: db, past } = core();
  const endsMs = monotonic() + workMs;
  const yieldTurn = createYieldTurn(monotonic);
  const sample = await sampleUsage(db, window, requestsMax);
  const rows = sample.rows.filter((row) => row.snapshot_version > 0);
  const stepsOf = createSidesOf();
  const sidesOf = (state: ConfigState): Promise<Sides> => inSlices(yieldTurn, stepsOf(state));
  const tally = createTally(changedMax);
  const sides = { before: await sidesOf(before), after: await sidesOf(after) };
  let compared = 0;
  let serving: Sides | null = null;
  let version = 0;
  for (const row of rows) {
    if (monotonic() > endsMs) break;
    if (row.snapshot_version !== version) {
      version = row.snapshot_version;
      const found = await servingOf(past, sides.before, row, sidesOf);
      if (isRefusal(found)) return found;
      serving = found;
    }
    tally.add(row, compareRow({ ...sides, serving }, row));
    compared += 1;
    await yieldTurn();
  }
  return {
    window,
    recorded: sample.from,
    has_older: sample.hasOlder,
    compared,
    not_reached: rows.length - compared,
    without_version: sample.rows.length - rows.length,
    ...tally.summary(),
  };
}

/** Null if the version belongs to another log. */
async function servingOf(
  past: PastStates,
  present: Sides,
  row: UsageRecord,
  sidesOf: (state: ConfigState) => Promise<Sides>,
): Promise<Sides | Refusal | null> {
  if (row.snapshot_version === present.state.version) return present;
  const state = await servedState(past, row);
  if (!isRefusal(state)) return sidesOf(state);
  return state.refused === 'conflict' ? null : state;
}
