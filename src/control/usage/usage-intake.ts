// Ingests usage events from proxies (specification, "Control-plane protocol"). Drops single records
// that are malformed or name a deleted principal or model. A batch that is delivered twice counts
// once.

import { randomBytes } from 'node:crypto';

import type { Model } from '../../../projections/config/model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Database } from '../../db/pool.ts';
import { insertUsage } from '../../db/usage/usage.ts';
import type { CountedUsage, StoredBatch, StoredUsage } from '../../db/usage/usage.ts';
import type { Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { reachedCap } from '../../snapshot/spend.ts';
import { createUlids } from '../../usage/ulid.ts';
import type { UsageBatch, UsageEvent, UsageReceipt } from '../../usage/usage-event.ts';
import type { NotifyIn } from '../webhooks/notify.ts';
import { alertBudgets } from './budget-alerts.ts';
import { capsAt } from './budget-caps.ts';
import { principalNames } from '../access/principal-names.ts';
import { createStoreUsage } from './store-usage.ts';
import { rowCost } from './usage-cost.ts';
import { isPartial } from './usage-record.ts';
import { droppedBefore, sortRecords } from './usage-sorting.ts';
import type { NumberedEvent } from './usage-sorting.ts';

/** Refuses a batch while too many rows wait for the database. */
export type UsageIntake = (batch: UsageBatch) => Promise<UsageReceipt | Refusal>;

type Dependencies = Readonly<{
  db: Database;
  vault: Vault;
  state: () => ConfigState;
  /** Brings the state to a snapshot version that a proxy already has. */
  refresh: () => Promise<void>;
  /** Called when a batch made a budget reach a cap, so that proxies learn of it at once. */
  onReached?: () => void;
  notifyIn: NotifyIn;
  clock: Clock;
}>;

export function createUsageIntake(dependencies: Dependencies): UsageIntake {
  const { db, vault, clock } = dependencies;
  const newId = createUlids({ now: clock, randomBytes });
  const store = createStoreUsage((batch) => storeTogether(batch, dependencies));
  return async ({ replica: given, events, sender }) => {
    const at = new Date(clock());
    const state = await stateFor(events, dependencies);
    const replica = storable(given);
    const { accepted, dropped } = sortRecords(events, replica, { at, newId, state });
    const principals = new Set(accepted.map(({ event }) => event.principal_id));
    const held = [...principals].flatMap((id) => state.principal.byId.get(id) ?? []);
    const names = await principalNames({ db, vault }, held);
    const rows = accepted.map((one) =>
      toRow(one, {
        state,
        replica,
        receivedAt: at,
        principal: names.get(one.event.principal_id) ?? '',
      }),
    );
    const own = sender === undefined ? [] : [{ ...sender, replica: storable(sender.replica) }];
    const counted = await store({
      rows,
      dropped: [...dropped, ...own.flatMap(droppedBefore)],
      senders: own,
      at,
    });
    if (isRefusal(counted)) return counted;
    const ownBudgets = counted.budgets.filter(({ principal_id: id }) => principals.has(id));
    const budgets = ownBudgets.map((spent) => ({
      principal_id: spent.principal_id,
      window_start: spent.window_start.toISOString(),
      tokens_used: spent.tokens_used,
      cost_used_micros: spent.cost_used_micros,
    }));
    return { accepted: rows.length, dropped: events.length - rows.length, budgets };
  };
}

async function storeTogether(
  batch: StoredBatch,
  { db, state: current, onReached, notifyIn }: Dependencies,
): Promise<CountedUsage> {
  const [state, now] = [current(), batch.at.getTime()];
  const counted = await insertUsage(db, batch, (tx, budgets) =>
    alertBudgets(tx, { budgets, state, now }, notifyIn),
  );
  if (reachesCap(counted, state, now)) onReached?.();
  return counted;
}

/** True if a cap is newly reached. */
function reachesCap({ budgets, added }: CountedUsage, state: ConfigState, now: number): boolean {
  return added.some(({ principalId, tokens, costMicros: cost }) => {
    const budget = state.principal.byId.get(principalId)?.budget ?? null;
    const spent = budgets.find((one) => one.principal_id === principalId);
    if (budget === null || spent === undefined) return false;
    const caps = capsAt(budget, now);
    const before = {
      tokens_used: spent.tokens_used - tokens,
      cost_used_micros: spent.cost_used_micros - cost,
    };
    return reachedCap(caps, spent) !== null && reachedCap(caps, before) === null;
  });
}

/** Postgres stores no zero bytes. */
const storable = (text: string): string => text.replaceAll('\0', '');

/**
 * A proxy may have its snapshot from another replica and be ahead of this one. So may a proxy that
 * does not report its version.
 */
async function stateFor(
  events: readonly unknown[],
  { state, refresh }: Dependencies,
): Promise<ConfigState> {
  const { version } = state();
  const isAhead = (raw: unknown): boolean =>
    hasVersion(raw) ? raw.snapshot_version > version : isPartial(raw);
  if (events.some(isAhead)) await refresh();
  return state();
}

const hasVersion = (raw: unknown): raw is Readonly<{ snapshot_version: number }> =>
  typeof raw === 'object' &&
  raw !== null &&
  'snapshot_version' in raw &&
  typeof raw.snapshot_version === 'number';

type Names = Readonly<{
  state: ConfigState;
  replica: string;
  receivedAt: Date;
  principal: string;
}>;

const classNameOf = ({ prompt_class_id: id }: UsageEvent, state: ConfigState): string | null =>
  id === null ? null : (state.prompt_class.byId.get(id)?.name ?? null);

/** Stores the current names, because usage history outlives the entities. */
function toRow({ event, number }: NumberedEvent, names: Names): StoredUsage {
  const { state, replica, receivedAt, principal } = names;
  const model: Model | null =
    event.model_id === null ? null : (state.model.byId.get(event.model_id) ?? null);
  const provider =
    event.provider_id === null ? null : (state.provider.byId.get(event.provider_id) ?? null);
  return {
    ...event,
    at: new Date(event.at),
    received_at: receivedAt,
    replica,
    principal,
    model: model?.name ?? event.model,
    provider: provider?.name ?? null,
    prompt_class: classNameOf(event, state),
    ...rowCost(event, model?.priceVersions ?? [], Date.parse(event.at)),
    run: number?.run ?? null,
    seq: number?.seq ?? null,
  };
}
