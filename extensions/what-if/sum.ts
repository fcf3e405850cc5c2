// Sums compared requests and their cost.

import type { Change, Comparison, CostPair } from './compare-request.ts';

/** Exact costs, of requests with a known cost on both sides. */
export type Counts = Readonly<
  Record<Change, number> & {
    requests: number;
    /** Requests whose rows lack the necessary facts. */
    not_told: number;
    /** Their cost is unknown on one side, so no sum includes them. */
    unpriced: number;
    cost_before: string;
    cost_after: string;
    cost_difference: string;
  }
>;

export type Sum = Readonly<{
  add: (compared: Pick<Comparison, 'change' | 'cost'>) => void;
  merge: (other: Sum) => void;
  counts: () => Counts;
  raw: () => Raw;
}>;

type Raw = Record<Change | 'requests' | 'not_told' | 'unpriced', number> & {
  before: bigint;
  after: bigint;
};

export function createSum(): Sum {
  const raw: Raw = {
    requests: 0,
    same: 0,
    newly_denied: 0,
    newly_allowed: 0,
    rerouted: 0,
    not_told: 0,
    unpriced: 0,
    before: 0n,
    after: 0n,
  };
  const addCost = ({ before, after }: CostPair): void => {
    if (before === null || after === null) {
      raw.unpriced += 1;
      return;
    }
    raw.before += BigInt(before);
    raw.after += BigInt(after);
  };
  return {
    raw: () => raw,
    add: ({ change, cost }) => {
      raw.requests += 1;
      raw[change ?? 'not_told'] += 1;
      addCost(cost);
    },
    merge: (other) => {
      const { before, after, ...numbers } = other.raw();
      for (const name of numberNames) raw[name] += numbers[name];
      raw.before += before;
      raw.after += after;
    },
    counts: () => {
      const { before, after, ...numbers } = raw;
      return {
        ...numbers,
        cost_before: decimal(before),
        cost_after: decimal(after),
        cost_difference: decimal(after - before),
      };
    },
  };
}

const numberNames = [
  'requests',
  'same',
  'newly_denied',
  'newly_allowed',
  'rerouted',
  'not_told',
  'unpriced',
] as const;

const million = 1_000_000n;

/** Six decimal places of the quoted currency. */
function decimal(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const size = micros < 0n ? -micros : micros;
  return `${sign}${size / million}.${String(size % million).padStart(6, '0')}`;
}
