// Counts what this control plane hands out to proxies, for metrics.

/** The values of the label `dimension`. */
export const allottedDimensions = ['requests', 'tokens', 'budget_tokens', 'budget_micros'] as const;
export type AllottedDimension = (typeof allottedDimensions)[number];

type ByDimension = Record<AllottedDimension, number>;

/** `granted` is the amount beyond what proxies kept; `short` counts asks for more than was left. */
export type AllotmentTally = Readonly<{ granted: ByDimension; short: ByDimension }>;

const nothing: Readonly<ByDimension> = {
  requests: 0,
  tokens: 0,
  budget_tokens: 0,
  budget_micros: 0,
};

export const newAllotmentTally = (): AllotmentTally => ({
  granted: { ...nothing },
  short: { ...nothing },
});

type Answered = Readonly<{ keeps: number; amount: number; isShort: boolean }>;

export function count(
  { granted, short }: AllotmentTally,
  dimension: AllottedDimension,
  { keeps, amount, isShort }: Answered,
): void {
  granted[dimension] += amount - keeps;
  if (isShort) short[dimension] += 1;
}
