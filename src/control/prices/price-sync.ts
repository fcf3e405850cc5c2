// Prepares a price sync: reads the sources, finds each model's price and builds the command that
// sets them all. The admin route and `gw sync-prices` use it, and execute the command unless it is
// a dry run.

import type { Dispatcher } from 'undici';

import type { Model } from '../../../projections/config/model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { keepsPrice } from '../../deciders/price.ts';
import type { PriceCommand } from '../../deciders/price.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { PriceSource, PriceSourceName } from '../../lib/vocabulary.ts';
import { readAggregatorPrices, readCataloguePrices } from './price-list.ts';
import { matchPrices, priceSourceOrder } from './price-match.ts';
import type { PriceLists, PriceMatch } from './price-match.ts';
import { readPriceSource } from './price-source.ts';
import { createSlots } from '../slots.ts';

/** The location of each source: an http or https URL, or a file. */
export type PricePlaces = Readonly<Record<PriceSourceName, string>>;

export type PriceSyncRequest = Readonly<{ source: PriceSource; overwrite: boolean }>;

/** `skipped` is the reason why a source could not be read, or null. */
export type SourceReport = Readonly<{
  source: PriceSourceName;
  prices: number;
  nonsense: number;
  skipped: string | null;
}>;

export type PricePlan = Readonly<{
  command: PriceCommand;
  sources: readonly SourceReport[];
  /** A price that would change. `model` has the current price and `found` the new one. */
  changes: readonly PriceChange[];
  /** Number of prices that were found and stay unchanged. */
  kept: number;
  unmatched: readonly Pick<PriceMatch, 'model' | 'upstreamModel'>[];
}>;

export type PriceChange = Readonly<{
  model: Model;
  upstreamModel: string;
  found: NonNullable<PriceMatch['found']>;
}>;

/**
 * Refuses with `upstream` if no source could be read, and with `unavailable` while another sync
 * runs.
 */
export type PlanPrices = (request: PriceSyncRequest) => Promise<PricePlan | Refusal>;

type Dependencies = Readonly<{
  dispatcher: Dispatcher;
  places: PricePlaces;
  /** The configuration at the head of the log. */
  readState: () => Promise<ConfigState>;
  timeoutMs?: number;
}>;

const timeoutMsDefault = 30_000;
const readers = { aggregator: readAggregatorPrices, catalogue: readCataloguePrices } as const;

export function createPlanPrices(dependencies: Dependencies): PlanPrices {
  const slots = createSlots({ parallelMax: 1, waitingMax: 0, what: 'price syncs' });
  return (request) => slots.run(() => planPrices(dependencies, request));
}

async function planPrices(
  dependencies: Dependencies,
  { source, overwrite }: PriceSyncRequest,
): Promise<PricePlan | Refusal> {
  const asked = priceSourceOrder.filter((name) => source === 'both' || source === name);
  const read = await Promise.all(asked.map((name) => readSource(name, dependencies)));
  const sources = read.map(({ report }) => report);
  if (sources.every(({ skipped }) => skipped !== null)) {
    const reasons = sources.map((report) => `${report.source}: ${report.skipped ?? ''}`);
    return refuse('upstream', `no price source could be read: ${reasons.join('; ')}`);
  }
  const listOf = (name: PriceSourceName) =>
    read.find(({ report }) => report.source === name)?.prices ?? null;
  const lists: PriceLists = { aggregator: listOf('aggregator'), catalogue: listOf('catalogue') };
  const matches = matchPrices(await dependencies.readState(), lists);
  const found = matches.flatMap(({ model, upstreamModel, found }): PriceChange[] =>
    found === null || upstreamModel === null ? [] : [{ model, upstreamModel, found }],
  );
  const changes = found.filter(
    ({ model, found: { prices } }) => !keepsPrice(model, prices, { overwrite }),
  );
  const command: PriceCommand = {
    type: 'SyncPrices',
    overwrite,
    prices: changes.map(({ model, upstreamModel, found: { prices } }) => ({
      id: model.id,
      upstreamModel,
      ...prices,
    })),
  };
  const unmatched = matches.filter((match) => match.found === null);
  return { command, sources, changes, kept: found.length - changes.length, unmatched };
}

async function readSource(
  source: PriceSourceName,
  { dispatcher, places, timeoutMs = timeoutMsDefault }: Dependencies,
) {
  const read = await readPriceSource(places[source], {
    dispatcher,
    read: readers[source],
    signal: AbortSignal.timeout(timeoutMs),
  });
  const report: SourceReport = isRefusal(read)
    ? { source, prices: 0, nonsense: 0, skipped: read.message }
    : { source, prices: read.prices.size, nonsense: read.nonsense, skipped: null };
  return { report, prices: isRefusal(read) ? null : read.prices };
}
