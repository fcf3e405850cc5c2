// Syncs prices, as `gw sync-prices` does (specification, "Observability, operations, other").

import { createHash } from 'node:crypto';

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { PriceChange, PricePlan } from '../../control/prices/price-sync.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { modelId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { priceSource, priceSourceAliases } from '../../lib/vocabulary.ts';
import { cardDifferences, cardUnits } from '../../snapshot/prices/card-differences.ts';
import { mutate } from '../http/mutation.ts';
import type { ProviderNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const sourceName = priceSource.exclude(['both']);

export const priceSourceField = z
  .preprocess(
    (given) => (typeof given === 'string' ? (priceSourceAliases[given] ?? given) : given),
    priceSource,
  )
  .meta({ type: 'string', enum: [...priceSource.options, ...Object.keys(priceSourceAliases)] });

/** Micro-units per million tokens. Null is unpriced. */
const price = z.int().nonnegative().nullable();

const cardValue = z.union([z.int(), z.string()]);

/** A key of a price list that is not used. The reason is null if gw does not know it. */
const unusedKey = z.object({ key: z.string(), reason: z.string().nullable() });

export const priceSyncRecord = z.object({
  dry_run: z.boolean(),
  /**
   * Digest of the plan. If sent with the same options, exactly this plan is applied or the call is
   * refused.
   */
  plan: z.string(),
  /** Number of models whose price changed, or would change in a dry run. */
  updated: z.int(),
  /** Number of models that were found and keep their price. */
  already_priced: z.int(),
  /** Number of models whose upstream name is in no source. */
  unmatched: z.int(),
  changes: z.array(
    z.object({
      model_id: modelId,
      model: z.string(),
      upstream_model: z.string(),
      source: sourceName,
      /** The name in the source. */
      found_as: z.string(),
      old_input_price_per_mtok: price,
      old_output_price_per_mtok: price,
      input_price_per_mtok: price,
      output_price_per_mtok: price,
      /** The fields of the card that change. */
      card_changes: z.array(
        z.object({
          /** Dotted. A context tier is named by its threshold: `above_200000.input`. */
          field: z.string(),
          /** Null if the value is not an amount. */
          per: z.enum(cardUnits).nullable(),
          /** Micro-units or a percentage. Null if the card does not have the field. */
          old: cardValue.nullable(),
          new: cardValue.nullable(),
        }),
      ),
      unused_keys: z.array(unusedKey),
    }),
  ),
  unmatched_models: z.array(
    z.object({
      model_id: modelId,
      model: z.string(),
      /** Null if the model has no provider. */
      upstream_model: z.string().nullable(),
      /** The prices that a source has for the model and gw cannot use. */
      unused_keys: z.array(unusedKey),
    }),
  ),
  sources: z.array(
    z.object({
      source: sourceName,
      prices: z.int(),
      /** Number of invalid prices that were ignored. */
      nonsense: z.int(),
      /** The keys with a price that gw does not use, and the number of models that have them. */
      unused_keys: z.array(unusedKey.extend({ models: z.int() })),
      /** Number of further such keys. */
      more_unused_keys: z.int(),
      /** The reason why the source could not be read. Null if it was read. */
      skipped: z.string().nullable(),
    }),
  ),
});
export type PriceSyncRecord = z.input<typeof priceSyncRecord>;

/** The changes that were made. Models that were priced or deleted since the plan are left out. */
export function priceSyncBody(
  plan: PricePlan,
  { dryRun, isChanged }: Readonly<{ dryRun: boolean; isChanged: (id: number) => boolean }>,
): PriceSyncRecord {
  const changes = plan.changes.filter(({ model }) => isChanged(model.id));
  return {
    dry_run: dryRun,
    plan: planDigest(plan),
    updated: changes.length,
    already_priced: plan.kept,
    unmatched: plan.unmatched.length,
    changes: changes.map(toChangeRecord),
    unmatched_models: plan.unmatched.map(({ model, upstreamModel, unused }) => ({
      model_id: model.id,
      model: model.name,
      upstream_model: upstreamModel,
      unused_keys: [...unused],
    })),
    sources: plan.sources.map(({ unused, ...source }) => ({
      ...source,
      unused_keys: [...unused.keys],
      more_unused_keys: unused.more,
    })),
  };
}

const toChangeRecord = ({ model, upstreamModel, found, prices, unused }: PriceChange) => ({
  model_id: model.id,
  model: model.name,
  upstream_model: upstreamModel,
  source: found.source,
  found_as: found.name,
  old_input_price_per_mtok: model.inputPricePerMtok,
  old_output_price_per_mtok: model.outputPricePerMtok,
  input_price_per_mtok: prices.inputPricePerMtok,
  output_price_per_mtok: prices.outputPricePerMtok,
  card_changes: [...cardDifferences(model.priceCard ?? null, prices.priceCard)],
  unused_keys: [...unused],
});

/** Equal for equal changes: same models, old prices, new prices and sources. */
const planDigest = ({ changes }: Pick<PricePlan, 'changes'>): string =>
  createHash('sha256')
    .update(canonicalJson(changes.map(toChangeRecord)))
    .digest('base64url');

/** The models that a sync priced. */
export const pricedIn = (events: readonly Readonly<{ type: string; data: object }>[]) => {
  const ids = new Set(
    events.flatMap(({ type, data }) => (type === 'ModelPriced' && 'id' in data ? [data.id] : [])),
  );
  return (id: number): boolean => ids.has(id);
};

const planLengthMax = 64;

/**
 * Refuses if `plan`, in this state, differs from the plan `wanted` that was shown: sources or
 * models have changed.
 */
function refuseOther(wanted: string, plan: PricePlan, { model: models }: ConfigState) {
  const changes = plan.changes.flatMap((change): PriceChange[] => {
    const model = models.byId.get(change.model.id);
    if (model === undefined || model.backend === null) return [];
    return [{ ...change, model, upstreamModel: model.backend.upstreamModel }];
  });
  if (planDigest({ changes }) === wanted) return null;
  const message = `plan: the prices have changed since plan ${wanted}; make a new dry run`;
  return refuse('conflict', message, { param: 'plan' });
}

export const priceRoutes = [
  route({
    method: 'POST',
    path: '/admin/prices/sync',
    operation: 'syncPrices',
    permission: 'config:write',
    summary:
      'Sync prices of the provider models; existing prices are kept unless `overwrite` is set',
    refusals: ['conflict', 'upstream', 'unavailable'],
    params: none,
    query: none,
    body: z.strictObject({
      source: priceSourceField.default('both'),
      overwrite: z.boolean().default(false),
      dry_run: z.boolean().default(false),
      /** Digest from a dry run. If the prices would now be different, nothing is changed. */
      plan: z.string().max(planLengthMax).optional(),
    }),
    response: priceSyncRecord,
    handle: async (
      { body: { source, overwrite, dry_run: dryRun, plan: wanted } },
      call,
      { planPrices }: ProviderNeeds,
    ) => {
      const plan = await planPrices({ source, overwrite });
      if (isRefusal(plan)) return plan;
      if (dryRun) return { body: priceSyncBody(plan, { dryRun, isChanged: () => true }) };
      return mutate(
        call,
        {
          command: plan.command,
          precondition: async (state) =>
            wanted === undefined ? null : refuseOther(wanted, plan, state),
        },
        ({ events }) => priceSyncBody(plan, { dryRun, isChanged: pricedIn(events) }),
      );
    },
  }),
] as const;
