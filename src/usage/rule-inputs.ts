// What a usage row keeps of a request beside its own columns because a rule asked for it (src/routing/rule-inputs.ts).

import { z } from 'zod';

import { ruleId } from '../lib/ids.ts';
import { isStorable } from '../lib/text.ts';

/** As many headers, and as many rules, as a row lists. */
export const listedInputsMax = 200;

const text = z.string().max(2_000).refine(isStorable);
const listable = (value: object): boolean => Object.keys(value).length <= listedInputsMax;

export const ruleInputs = z.object({
  /** Epoch milliseconds: when the route was chosen, which is some time after the request began. */
  at_ms: z.int().nonnegative(),
  /** Headers by their names in lower case that had a value which a rule names; never another value. */
  headers: z.record(text, text).refine(listable),
  /** Rules of which no endpoint was below their `max_inflight_per_backend`. */
  crowded_rules: z.array(ruleId).max(listedInputsMax).readonly(),
  /** What the request was taken to cost, micro-units; null when no rule asks or nothing has a price. */
  cost_micros: z.int().nonnegative().max(Number.MAX_SAFE_INTEGER).nullable(),
});
export type RuleInputs = z.output<typeof ruleInputs>;
