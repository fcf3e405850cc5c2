// Ingests usage events from proxies (specification, "Control-plane protocol"). Drops single records
// that are malformed or name a deleted principal or model. A batch that is delivered twice counts
// once.

import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import type { Model } from '../../../projections/config/model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Database } from '../../db/pool.ts';
import { insertUsage } from '../../db/usage/usage.ts';
import type { CountedUsage, StoredUsage } from '../../db/usage/usage.ts';
import type { Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { reachedCap } from '../../snapshot/spend.ts';
import { createUlids } from '../../usage/ulid.ts';
import type { UsageBatch, UsageEvent, UsageReceipt } from '../../usage/usage-event.ts';
import { principalNames } from '../access/principal-names.ts';
import { costMicros, estimatedCostMicros } from './usage-cost.ts';
import { isPartial, readRecord } from './usage-record.ts';

export type UsageIntake = (batch: UsageBatch) => Promise<UsageReceipt>;

/**
 * Accepted range of times. A proxy that was disconnected for longer has lost its queue, and a clock
 * further ahead is wrong. Each month is a partition.
 */
const oldestMs = 400 * 24 * 60 * 60 * 1000;
const aheadMs = 24 * 60 * 60 * 1000;

type Dependencies = Readonly<{
  db: Database;
  vault: Vault;
  state: () => ConfigState;
  /** Brings the state to a snapshot version that a proxy already has. */
  refresh: () => Promise<void>;
  /** Called when a batch made a budget reach a cap, so that proxies learn of it at once. */
  onReached?: () => void;
  clock: Clock;
}>;

export function createUsageIntake(dependencies: Dependencies): UsageIntake {
  const { db, vault, clock } = dependencies;
  const newId = createUlids({ now: clock, randomBytes });
  return async ({ replica, events }) => {
    const now = clock();
    const state = await stateFor(events, dependencies);
    const completion = { at: new Date(now), newId, state };
    const read = events.flatMap((raw) => readRecord(raw, completion) ?? []);
    const known = read.filter((event) => isInTime(event, now) && isKnown(event, state));
    const principals = new Set(known.map((event) => event.principal_id));
    const held = [...principals].flatMap((id) => state.principal.byId.get(id) ?? []);
    const names = await principalNames({ db, vault }, held);
    const rows = known.map((event) =>
      toRow(event, {
        state,
        replica: replica.replaceAll('\0', ''),
        receivedAt: new Date(now),
        principal: names.get(event.principal_id) ?? '',
      }),
    );
    const counted = await insertUsage(db, rows);
    if (reachesCap(counted, state)) dependencies.onReached?.();
    const budgets = counted.budgets.map((spent) => ({
      principal_id: spent.principal_id,
      window_start: spent.window_start.toISOString(),
      tokens_used: spent.tokens_used,
      cost_used_micros: spent.cost_used_micros,
    }));
    return { accepted: rows.length, dropped: events.length - rows.length, budgets };
  };
}

/** True if a cap is newly reached. */
function reachesCap({ budgets, added }: CountedUsage, state: ConfigState): boolean {
  return added.some(({ principalId, tokens, costMicros: cost }) => {
    const budget = state.principal.byId.get(principalId)?.budget ?? null;
    const spent = budgets.find((one) => one.principal_id === principalId);
    if (budget === null || spent === undefined) return false;
    const { tokensTotal: tokens_total, costTotalMicros: cost_total_micros } = budget;
    const caps = { tokens_total, cost_total_micros };
    const before = {
      tokens_used: spent.tokens_used - tokens,
      cost_used_micros: spent.cost_used_micros - cost,
    };
    return reachedCap(caps, spent) !== null && reachedCap(caps, before) === null;
  });
}

function isInTime({ at }: UsageEvent, now: number): boolean {
  const moment = Date.parse(at);
  return moment > now - oldestMs && moment < now + aheadMs;
}

const versioned = z.object({ snapshot_version: z.number() });

/**
 * A proxy may have its snapshot from another replica and be ahead of this one. So may a proxy that
 * does not report its version.
 */
async function stateFor(
  events: readonly unknown[],
  { state, refresh }: Dependencies,
): Promise<ConfigState> {
  const isAhead = (raw: unknown): boolean => {
    const { success, data } = versioned.safeParse(raw);
    return success ? data.snapshot_version > state().version : isPartial(raw);
  };
  if (events.some(isAhead)) await refresh();
  return state();
}

const isKnown = (event: UsageEvent, state: ConfigState): boolean =>
  state.principal.byId.has(event.principal_id) &&
  (event.model_id === null || state.model.byId.has(event.model_id));

type Names = Readonly<{
  state: ConfigState;
  replica: string;
  receivedAt: Date;
  principal: string;
}>;

const classNameOf = ({ prompt_class_id: id }: UsageEvent, state: ConfigState): string | null =>
  id === null ? null : (state.prompt_class.byId.get(id)?.name ?? null);

/** Stores the current names, because usage history outlives the entities. */
function toRow(event: UsageEvent, { state, replica, receivedAt, principal }: Names): StoredUsage {
  const { reported_cost_micros: _reported, ...rest } = event;
  const model: Model | null =
    event.model_id === null ? null : (state.model.byId.get(event.model_id) ?? null);
  const provider =
    event.provider_id === null ? null : (state.provider.byId.get(event.provider_id) ?? null);
  return {
    ...rest,
    at: new Date(event.at),
    received_at: receivedAt,
    replica,
    principal,
    model: model?.name ?? event.model,
    provider: provider?.name ?? null,
    prompt_class: classNameOf(event, state),
    cost_micros: costMicros(event, model),
    estimated_cost_micros: estimatedCostMicros(event, model),
  };
}
