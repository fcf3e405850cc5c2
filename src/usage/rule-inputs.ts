// Defines the inputs of rules that a usage row keeps in addition to its columns (src/routing/rule-inputs.ts).

import { z } from 'zod';

import { ruleId } from '../lib/ids.ts';
import { isStorable } from '../lib/text.ts';

/** The maximum number of headers, and of rules, in a row. */
export const listedInputsMax = 200;

const text = z.string().max(2_000).refine(isStorable);
const listable = (value: object): boolean => Object.keys(value).length <= listedInputsMax;

export const ruleInputs = z.object({
  /** The time at which the route was chosen, in epoch milliseconds. It is later than the start of the request. */
  at_ms: z.int().nonnegative(),
  /** Headers by lower-case name whose value a rule names. Other values are never recorded. */
  headers: z.record(text, text).refine(listable),
  /** Rules for which no endpoint was below their `max_inflight_per_backend`. */
  crowded_rules: z.array(ruleId).max(listedInputsMax).readonly(),
  /** The estimated cost in micro-units. Null when no rule needs it or nothing has a price. */
  cost_micros: z.int().nonnegative().max(Number.MAX_SAFE_INTEGER).nullable(),
});
export type RuleInputs = z.output<typeof ruleInputs>;
