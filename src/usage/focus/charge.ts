// Splits the usage of an hour into charges: one for each dimension of its price (FinOps Open Cost
// and Usage Specification).

import type { ModelId } from '../../lib/ids.ts';
import { cachedCounts, tokenParts, unitCounts } from '../counts.ts';
import type { PartName, UnitCount } from '../counts.ts';

/** Usage of one hour that has one principal, model, price and tag. Sums can exceed 2^53. */
export type HourUsage = Readonly<{
  hour: Date;
  principalId: number;
  principal: string;
  provider: string | null;
  model: string | null;
  /** Null for usage past the retention of its rows. */
  modelId: ModelId | null;
  tag: string | null;
  currency: string;
  priceVersion: number | null;
  serviceTier: string | null;
  requests: bigint;
  /** Requests without a price. */
  unpricedRequests: bigint;
  /** The prompt tokens of one of the requests: all of them have the same tier of the card. */
  tierTokens: number;
  promptTokens: bigint;
  completionTokens: bigint;
  /** Null for a part that no request reported. */
  parts: Readonly<Record<PartName, bigint | null>>;
  toolCalls: Readonly<Record<string, bigint>>;
  units: Readonly<Record<string, bigint>>;
  /** Null if no request has a price. */
  costMicros: bigint | null;
  /** True if the row corrects the cost of this usage: it has no quantities. */
  isCorrection: boolean;
}>;

export type ChargeUnit = 'Tokens' | 'Requests' | 'Calls' | UnitCount['unit'];

export type Charge = Readonly<{
  usage: HourUsage;
  /** Stable, for the columns SkuId and x_Dimension. */
  dimension: string;
  label: string;
  unit: ChargeUnit;
  quantity: bigint;
  /** Null if the usage has no price. */
  costMicros: bigint | null;
}>;

/** The cost by dimension. Null if it is unknown; then one charge has the whole cost. */
export type CostByDimension = (usage: HourUsage) => ReadonlyMap<string, bigint> | null;

type Quantity = Pick<Charge, 'dimension' | 'label' | 'unit' | 'quantity'>;

/** The charges of the usage. Their costs add up to its cost. */
export function chargesOf(usage: HourUsage, costByDimension: CostByDimension): readonly Charge[] {
  const charge = (quantity: Quantity, costMicros: bigint | null): Charge => ({
    usage,
    ...quantity,
    costMicros,
  });
  const { costMicros } = usage;
  if (usage.isCorrection) return [charge(correction, costMicros)];
  if (costMicros === null) {
    return quantitiesOf(usage, () => true).map((quantity) => charge(quantity, null));
  }
  const split = usage.unpricedRequests === 0n ? costByDimension(usage) : null;
  const costs = split === null ? null : shares(costMicros, split);
  // Tokens of a part without a price of its own are billed at the base price of their side.
  const quantities = quantitiesOf(usage, (dimension) => costs?.has(dimension) === true);
  if (costs?.has('per_request') === true) quantities.push(requests(usage, 'per_request'));
  const isCovered = (name: string): boolean =>
    costs?.get(name) === 0n || quantities.some(({ dimension }) => dimension === name);
  if (costs !== null && [...costs.keys()].every(isCovered)) {
    return quantities.map((quantity) => charge(quantity, costs.get(quantity.dimension) ?? 0n));
  }
  const tokens = usage.promptTokens + usage.completionTokens;
  if (tokens === 0n && costMicros === 0n) return [];
  const whole = tokens === 0n ? requests(usage, 'all') : tokensOf('all', 'All usage', tokens);
  return [charge(whole, costMicros)];
}

const correction = tokensOf('correction', 'Correction of the price', 0n);

const requests = (usage: HourUsage, dimension: string): Quantity => ({
  dimension,
  label: 'Requests',
  unit: 'Requests',
  quantity: usage.requests,
});

function tokensOf(dimension: string, label: string, quantity: bigint): Quantity {
  return { dimension, label, unit: 'Tokens', quantity };
}

/**
 * Every dimension with a quantity. Token quantities add up to the two totals: parts that are not
 * separate are in the quantity of their side.
 */
function quantitiesOf(usage: HourUsage, isSeparate: (dimension: string) => boolean): Quantity[] {
  const cached = cachedCounts
    .filter(({ kind }) => isSeparate(kind))
    .map(({ name, kind, label }) => tokensOf(kind, label, usage.units[name] ?? 0n));
  const cachedTokens = cached.reduce((sum, { quantity }) => sum + quantity, 0n);
  const side = (name: 'input' | 'output', label: string, total: bigint): Quantity[] => {
    const own = tokenParts
      .filter((part) => part.side === name && isSeparate(part.kind))
      .map(({ kind, label, name }) => {
        const tokens = usage.parts[name] ?? 0n;
        return tokensOf(kind, label, kind === 'cache_read' ? tokens - cachedTokens : tokens);
      });
    const parts = name === 'input' ? [...own, ...cached] : own;
    const rest = parts.reduce((left, { quantity }) => left - quantity, total);
    return [tokensOf(name, label, rest), ...parts];
  };
  const calls = Object.entries(usage.toolCalls).map(([tool, quantity]): Quantity => ({
    dimension: `tool_calls.${tool}`,
    label: `Calls of ${tool}`,
    unit: 'Calls',
    quantity,
  }));
  const units = unitCounts.map(({ name, price: dimension, label, unit }): Quantity => ({
    dimension,
    label,
    unit,
    quantity: usage.units[name] ?? 0n,
  }));
  const input = side('input', 'Input', usage.promptTokens);
  const output = side('output', 'Output', usage.completionTokens);
  return [...input, ...output, ...calls, ...units].filter(({ quantity }) => quantity > 0n);
}

/**
 * Divides the cost in proportion to these amounts, so that the parts add up to it exactly (largest
 * remainder). Null if no amount is above zero but the cost is.
 */
export function shares(
  cost: bigint,
  amounts: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> | null {
  const sum = [...amounts.values()].reduce((left, amount) => left + amount, 0n);
  if (sum === 0n) return cost === 0n ? new Map(amounts) : null;
  const exact = [...amounts].map(([name, amount]) => ({
    name,
    whole: (cost * amount) / sum,
    remainder: (cost * amount) % sum,
  }));
  const missing = cost - exact.reduce((left, { whole }) => left + whole, 0n);
  const favoured = new Set(
    exact
      .toSorted((one, other) => (one.remainder < other.remainder ? 1 : -1))
      .slice(0, Number(missing))
      .map(({ name }) => name),
  );
  return new Map(exact.map(({ name, whole }) => [name, whole + (favoured.has(name) ? 1n : 0n)]));
}
