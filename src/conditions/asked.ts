// What conditions know about a request. Routing implements this for requests that arrive, for dry runs and for recorded requests.

import type { RuleId } from '../lib/ids.ts';

/** The value of an amount that a request does not have: no max_tokens, no budget, no price. No bound admits it. */
export const unknownAmount = -1;

/** A model as far as its endpoints are concerned. */
export type Place = Readonly<{
  id: number;
  name: string;
  index: number;
  backends: readonly Readonly<{ endpoint: string; upstreamModel: string }>[];
}>;

/** A ceiling on the requests at the endpoints of a rule's own targets. */
export type LoadCeiling = Readonly<{
  models: readonly Place[];
  below: number;
  /** Equal for the same ceiling at the same endpoints. */
  key: string;
}>;

/** One request put to the rules of one frontend model, and to those that it jumps to. */
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
  /** At the cheapest model that can be reached; `unknownAmount` when none has a price. */
  costMicros: () => number;
  /** `name` is in lower case. */
  hasHeader: (name: string, value: string) => boolean;
  /** At least one endpoint is up and below the ceiling. */
  hasCapacity: (ceiling: LoadCeiling) => boolean;
}>;

/** The figures that conditions set bounds for. Engines compare numbers faster than names. */
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

/** The answers that a usage row keeps in addition to its own columns. */
export type RecordedInputs = {
  readonly headers: Map<string, string>;
  readonly crowdedRules: RuleId[];
  costMicros: number;
};

/** A question that the columns of a usage row answer under some configurations only. */
export type Question = Readonly<{
  /** Questions with the same key have the same answer. */
  key: string;
  /** The condition fields that ask it. */
  fields: readonly string[];
  /** What tells the answer: a rule of its time that asked it too, the prices of models, the same classes, the same budget, or the time. */
  answeredBy: 'rules' | 'prices' | 'classes' | 'budget' | 'time';
  /** Keeps the answer with the row, where no column holds it; `rules` are those that ask. */
  keep?: (asked: Asked, kept: RecordedInputs, rules: readonly RuleId[]) => void;
}>;
