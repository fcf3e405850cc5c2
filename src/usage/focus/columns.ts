// Defines the columns of the FinOps Open Cost and Usage Specification (FOCUS) 1.2, and writes a
// charge as a row. gw knows no invoices, regions, commitments or capacity: those columns are empty.

import { csvLine } from '../../lib/csv.ts';
import type { CsvCell } from '../../lib/csv.ts';
import type { Charge } from './charge.ts';

export const focusVersion = '1.2';

const micros = 1_000_000n;
/** Decimal places of a unit price. Its product with the quantity rounds to the cost. */
const priceDigits = 18;

/**
 * Exact. `digits` is the number of decimal places in `value`. Always has a decimal point, because
 * tools infer the type of a column from its cells.
 */
function decimal(value: bigint, digits: number): string {
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '') || '0';
  return `${value < 0n ? '-' : ''}${text.slice(0, text.length - digits)}.${fraction}`;
}

const cost = ({ costMicros }: Charge): CsvCell =>
  costMicros === null ? null : decimal(costMicros, 6);

const none = (): CsvCell => null;

const pricingQuantity = ({ unit, quantity, usage }: Charge): CsvCell =>
  usage.isCorrection ? null : decimal(unit === 'Tokens' ? quantity : quantity * micros, 6);

/** The average price of the charge: the hour can have several prices, such as those of tiers. */
function unitPrice({ unit, quantity, costMicros, usage }: Charge): CsvCell {
  if (usage.isCorrection || costMicros === null || quantity === 0n) return null;
  const perUnit = unit === 'Tokens' ? quantity : quantity * micros;
  const scaled = costMicros * 10n ** BigInt(priceDigits);
  return decimal((scaled + perUnit / 2n) / perUnit, priceDigits);
}

const time = (date: Date): string => date.toISOString().replace('.000Z', 'Z');
const hourMs = 3_600_000;
const monthStart = (date: Date, later: number): Date =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later));

/** The operator's name of the provider. Answers of gw's own cache have no provider. */
const provider = ({ usage }: Charge): string => usage.provider ?? 'gw';
const model = ({ usage }: Charge): string => usage.model ?? 'unknown';
const resource = (charge: Charge): string => `${provider(charge)}/${model(charge)}`;
const sku = (charge: Charge): string => `${resource(charge)}/${charge.dimension}`;

const unlessCorrection =
  (cell: (charge: Charge) => CsvCell) =>
  (charge: Charge): CsvCell =>
    charge.usage.isCorrection ? null : cell(charge);

function description(charge: Charge): string {
  const { label, usage } = charge;
  const unpriced = usage.unpricedRequests;
  const note = unpriced === 0n ? '' : `, ${unpriced} of ${usage.requests} requests have no price`;
  return `${model(charge)}: ${label}${note}`;
}

const tags = ({ usage }: Charge): string =>
  JSON.stringify(usage.tag === null ? {} : { tag: usage.tag });

/** In the order of the file. Columns of gw come last and begin with x_. */
const columns: Readonly<Record<string, (charge: Charge) => CsvCell>> = {
  AvailabilityZone: none,
  BilledCost: cost,
  BillingAccountId: provider,
  BillingAccountName: provider,
  BillingAccountType: () => 'Provider',
  BillingCurrency: ({ usage }) => usage.currency,
  BillingPeriodEnd: ({ usage }) => time(monthStart(usage.hour, 1)),
  BillingPeriodStart: ({ usage }) => time(monthStart(usage.hour, 0)),
  CapacityReservationId: none,
  CapacityReservationStatus: none,
  ChargeCategory: () => 'Usage',
  ChargeClass: ({ usage }) => (usage.isCorrection ? 'Correction' : null),
  ChargeDescription: description,
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: ({ usage }) => time(new Date(usage.hour.getTime() + hourMs)),
  ChargePeriodStart: ({ usage }) => time(usage.hour),
  CommitmentDiscountCategory: none,
  CommitmentDiscountId: none,
  CommitmentDiscountName: none,
  CommitmentDiscountQuantity: none,
  CommitmentDiscountStatus: none,
  CommitmentDiscountType: none,
  CommitmentDiscountUnit: none,
  ConsumedQuantity: unlessCorrection(({ quantity }) => decimal(quantity * micros, 6)),
  ConsumedUnit: unlessCorrection(({ unit }) => unit),
  ContractedCost: cost,
  ContractedUnitPrice: unitPrice,
  EffectiveCost: cost,
  InvoiceId: none,
  InvoiceIssuerName: provider,
  ListCost: cost,
  ListUnitPrice: unitPrice,
  PricingCategory: () => 'Standard',
  PricingCurrency: ({ usage }) => usage.currency,
  PricingCurrencyContractedUnitPrice: unitPrice,
  PricingCurrencyEffectiveCost: cost,
  PricingCurrencyListUnitPrice: unitPrice,
  PricingQuantity: pricingQuantity,
  PricingUnit: unlessCorrection(({ unit }) => (unit === 'Tokens' ? '1000000 Tokens' : unit)),
  ProviderName: provider,
  PublisherName: provider,
  RegionId: none,
  RegionName: none,
  ResourceId: resource,
  ResourceName: model,
  ResourceType: () => 'Model',
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: () => 'Model inference',
  ServiceSubcategory: () => 'Generative AI',
  SkuId: sku,
  SkuMeter: ({ label }) => label,
  SkuPriceDetails: ({ usage }) =>
    usage.serviceTier === null ? null : JSON.stringify({ x_ServiceTier: usage.serviceTier }),
  SkuPriceId: (charge) =>
    charge.usage.priceVersion === null
      ? sku(charge)
      : `${sku(charge)}@${charge.usage.priceVersion}`,
  SubAccountId: ({ usage }) => `principal/${usage.principalId}`,
  /** The name is empty after it was erased. */
  SubAccountName: ({ usage }) => usage.principal || `principal ${usage.principalId}`,
  SubAccountType: () => 'Principal',
  Tags: tags,
  x_Dimension: ({ dimension }) => dimension,
};

export const focusColumns: readonly string[] = Object.keys(columns);
const cells = Object.values(columns);

export const focusHead = csvLine(focusColumns);
export const focusLine = (charge: Charge): string => csvLine(cells.map((cell) => cell(charge)));
