// Prepares a price sync: reads the sources, finds each model's price and builds the command that
// sets them all. The admin route and `gw sync-prices` use it, and execute the command unless it is
// a dry run.

import type { Dispatcher } from 'undici';

import type { Model } from '../../../projections/config/model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { pricesAfter } from '../../deciders/price.ts';
import type { PriceCommand } from '../../deciders/price.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { PriceSource, PriceSourceName } from '../../lib/vocabulary.ts';
import { readAggregatorPrices, readCataloguePrices, unusedPrices } from './price-list.ts';
import type { UnusedPrices } from './price-list.ts';
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
  /** The keys with a price that gw does not use. */
  unused: UnusedPrices;
  skipped: string | null;
}>;

export type PricePlan = Readonly<{
  command: PriceCommand;
  sources: readonly SourceReport[];
  changes: readonly PriceChange[];
  /** Number of prices that were found and stay unchanged. */
  kept: number;
  unmatched: readonly Omit<PriceMatch, 'found'>[];
}>;

/** A change of prices from those of `model` to `prices`. */
export type PriceChange = Pick<PriceMatch, 'model' | 'unused'> &
  Readonly<{
    upstreamModel: string;
    found: NonNullable<PriceMatch['found']>;
    prices: ReturnType<typeof pricesAfter>;
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
    read.find(({ report }) => report.source === name)?.entries ?? null;
  const lists: PriceLists = { aggregator: listOf('aggregator'), catalogue: listOf('catalogue') };
  const matches = matchPrices(await dependencies.readState(), lists);
  const found = matches.flatMap(({ upstreamModel, found, ...match }): PriceChange[] => {
    if (found === null || upstreamModel === null) return [];
    const prices = pricesAfter(match.model, found.price, { overwrite });
    return [{ ...match, upstreamModel, found, prices }];
  });
  const changes = found.filter(({ model, prices }) => differs(model, prices));
  const command: PriceCommand = {
    type: 'SyncPrices',
    overwrite,
    prices: changes.map(({ model, upstreamModel, found: { price } }) => ({
      id: model.id,
      upstreamModel,
      ...price,
    })),
  };
  const unmatched = matches.filter((match) => match.found === null);
  return { command, sources, changes, kept: found.length - changes.length, unmatched };
}

function differs(model: Model, prices: PriceChange['prices']): boolean {
  const { inputPricePerMtok, outputPricePerMtok, priceCard = null } = model;
  const own = { inputPricePerMtok, outputPricePerMtok, priceCard };
  return canonicalJson(own) !== canonicalJson(prices);
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
  if (isRefusal(read)) {
    const none = { prices: 0, nonsense: 0, unused: { keys: [], more: 0 } };
    return { report: { source, ...none, skipped: read.message }, entries: null };
  }
  const { entries, nonsense } = read;
  const prices = [...entries.values()].filter(({ price }) => price !== null).length;
  const report = { source, prices, nonsense, unused: unusedPrices(entries), skipped: null };
  return { report, entries };
}
