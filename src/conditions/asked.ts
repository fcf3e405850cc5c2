// Defines what conditions know about a request. Routing implements it for incoming requests, dry
// runs and recorded requests.

import type { RuleId } from '../lib/ids.ts';

/**
 * For an amount that the request does not have: no max_tokens, no budget, no price. It fails every
 * bound.
 */
export const unknownAmount = -1;

/** A model, for conditions on its endpoints. */
export type Place = Readonly<{
  id: number;
  name: string;
  index: number;
  backends: readonly Readonly<{ endpoint: string; upstreamModel: string }>[];
}>;

/** Limits the requests in flight at the endpoints of a rule's own targets. */
export type LoadCeiling = Readonly<{
  models: readonly Place[];
  below: number;
  /** Equal for the same limit at the same endpoints. */
  key: string;
}>;

/** A request to one frontend model, as its rules and the rules that it jumps to see it. */
export type Asked = Readonly<{
  caller: Readonly<{
    /** Null for callers of an open gateway. */
    principalId: number | null;
    roleIds: readonly number[];
    budgetUsedPercent: number;
  }>;
  request: Readonly<{ isStream: boolean; promptClass: number | null }>;
  promptTokens: number;
  maxTokens: number;
  /** Whole minutes since the epoch. */
  epochMinute: number;
  /** The cost at the cheapest reachable model. `unknownAmount` if none has a price. */
  costMicros: () => number;
  /** `name` is lower case. */
  hasHeader: (name: string, value: string) => boolean;
  /** True if at least one endpoint is healthy and below the limit. */
  hasCapacity: (ceiling: LoadCeiling) => boolean;
}>;

/** Engines compare numbers faster than names. */
export const amounts = {
  promptTokens: 0,
  maxTokens: 1,
  stream: 2,
  budgetUsed: 3,
  cost: 4,
} as const;
export type Amount = (typeof amounts)[keyof typeof amounts];

export function amountOf(asked: Asked, amount: Amount): number {
  switch (amount) {
    case amounts.promptTokens:
      return asked.promptTokens;
    case amounts.maxTokens:
      return asked.maxTokens;
    case amounts.stream:
      return asked.request.isStream ? 1 : 0;
    case amounts.budgetUsed:
      return asked.caller.budgetUsedPercent;
    case amounts.cost:
      return asked.costMicros();
  }
}

/** A usage row stores these answers in addition to its columns. */
export type RecordedInputs = {
  readonly headers: Map<string, string>;
  readonly crowdedRules: RuleId[];
  costMicros: number;
};

/** A question that the columns of a usage row answer only in some configurations. */
export type Question = Readonly<{
  /** Questions with the same key have the same answer. */
  key: string;
  fields: readonly string[];
  /**
   * The answer applies while this stays equal: a rule of that time with the same question, model
   * prices, the classes, the budget, or the time.
   */
  answeredBy: 'rules' | 'prices' | 'classes' | 'budget' | 'time';
  /** Stores the answer in the row if no column holds it. `rules` need the answer. */
  keep?: (asked: Asked, kept: RecordedInputs, rules: readonly RuleId[]) => void;
}>;
