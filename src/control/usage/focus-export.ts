// Exports usage as FOCUS CSV, hour by hour, so that the memory does not depend on the range.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { nextUsageHour, usageCharges } from '../../db/usage/usage-charges.ts';
import type { ChargePage, ChargeRow } from '../../db/usage/usage-charges.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { membersOf, tokenParts } from '../../usage/counts.ts';
import type { PartName } from '../../usage/counts.ts';
import { chargesOf } from '../../usage/focus/charge.ts';
import type { CostByDimension, HourUsage } from '../../usage/focus/charge.ts';
import { focusHead, focusLine } from '../../usage/focus/columns.ts';
import { splitCost } from '../../usage/focus/split-cost.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';

/** RFC 3339, with an exclusive end. */
export type FocusRange = Readonly<{ since: string; until: string }>;

export type FocusOptions = FocusRange &
  Readonly<{
    /** FOCUS does not allow null costs: `omit` leaves out usage without a price. */
    unpriced: 'null' | 'omit';
  }>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const exportDaysMax = 366;

const partNames = tokenParts.map(({ name }) => name);

/** The rows that are in memory at a time. */
const standardPageRows = 5_000;

export function refuseRange({ since, until }: FocusRange): Refusal | null {
  const spanMs = Date.parse(until) - Date.parse(since);
  if (spanMs <= 0) {
    return refuse('invalid', `since ${since} is not before until ${until}`, { param: 'since' });
  }
  if (spanMs <= exportDaysMax * dayMs) return null;
  const message = `since ${since} is more than ${exportDaysMax} days before until ${until}; export shorter ranges`;
  return refuse('invalid', message, { param: 'since' });
}

type Source = Readonly<{
  db: Queryable;
  state: () => ConfigState;
  /** For tests. The default is the constant above. */
  pageRows?: number;
}>;

/** Yields the file in pieces. The range must have passed `refuseRange`. */
export async function* focusCsv(
  { db, state, pageRows = standardPageRows }: Source,
  { since, until, unpriced }: FocusOptions,
): AsyncGenerator<string, void, undefined> {
  yield focusHead;
  const models = state().model.byId;
  const tiers = tiersOf(models);
  let from = since;
  for (;;) {
    const hour = await nextUsageHour(db, { since: from, until });
    if (hour === null) return;
    const end = new Date(hour.getTime() + hourMs);
    const range = { since: from, until: end.toISOString() < until ? end.toISOString() : until };
    for await (const usage of usageOfHour(db, { ...range, tiers, pageRows })) {
      if (usage.costMicros === null && unpriced === 'omit') continue;
      const lines = chargesOf(usage, (one) => costByPrice(one, models))
        .map(focusLine)
        .join('');
      if (lines !== '') yield lines;
    }
    if (range.until === until) return;
    from = range.until;
  }
}

type Models = ConfigState['model']['byId'];

/** Null for costs without a price version: roll-ups, and costs that providers reported. */
function costByPrice(usage: HourUsage, models: Models): ReturnType<CostByDimension> {
  const { modelId, priceVersion } = usage;
  const versions = (modelId === null ? undefined : models.get(modelId))?.priceVersions;
  const prices = versions?.find(({ version }) => version === priceVersion);
  return prices === undefined ? null : splitCost(usage, prices);
}

/** Every number of prompt tokens above which a price changes, ascending. */
function tiersOf(models: Models): readonly number[] {
  const cards = [...models.values()].flatMap(({ priceVersions }) =>
    priceVersions.flatMap(({ card }) => card ?? []),
  );
  const tiers = cards.flatMap(({ context_tiers: own = [], service_tiers: services = {} }) =>
    own.concat(Object.values(services).flatMap((service) => service.context_tiers ?? [])),
  );
  const limits = new Set(tiers.map(({ above_tokens: tokens }) => tokens));
  return [...limits].toSorted((one, other) => one - other);
}

/** A page ends with a whole principal, and the next page begins after it. */
async function* usageOfHour(
  db: Queryable,
  { pageRows, ...range }: FocusRange & Pick<ChargePage, 'tiers'> & Readonly<{ pageRows: number }>,
): AsyncGenerator<HourUsage> {
  let afterPrincipal = 0;
  let limit = pageRows;
  for (;;) {
    const rows = await usageCharges(db, { ...range, afterPrincipal, limit });
    const last = rows.length < limit ? null : (rows.at(-1)?.principal_id ?? null);
    const whole = last === null ? rows : rows.filter((row) => row.principal_id !== last);
    for (const row of whole) yield usageOf(row);
    if (last === null) return;
    afterPrincipal = whole.at(-1)?.principal_id ?? afterPrincipal;
    // A principal with more rows than a page needs a larger page.
    limit = whole.length === 0 ? limit * 2 : pageRows;
  }
}

const usageOf = (row: ChargeRow): HourUsage => ({
  hour: row.hour,
  principalId: row.principal_id,
  principal: row.principal,
  provider: row.provider,
  model: row.model,
  modelId: row.model_id,
  tag: row.tag,
  currency: row.currency ?? defaultCurrency,
  priceVersion: row.price_version,
  serviceTier: row.service_tier,
  requests: BigInt(row.requests),
  unpricedRequests: BigInt(row.unpriced_requests),
  tierTokens: row.tier_tokens,
  promptTokens: BigInt(row.prompt_tokens),
  completionTokens: BigInt(row.completion_tokens),
  parts: partsOf(row),
  toolCalls: sumsOf(row.tool_calls),
  units: sumsOf(row.units),
  costMicros: row.cost_micros === null ? null : BigInt(row.cost_micros),
  isCorrection: row.is_correction,
});

const sumsOf = (sums: Readonly<Record<string, number>> | null): HourUsage['units'] =>
  Object.fromEntries(Object.entries(sums ?? {}).map(([name, sum]) => [name, BigInt(sum)]));

function partsOf(row: ChargeRow): HourUsage['parts'] {
  const parts = membersOf<PartName, bigint | null>(partNames, null);
  for (const name of partNames) parts[name] = row[name] === null ? null : BigInt(row[name]);
  return parts;
}
