// What the rules of a frontend model ask about a request that the columns of its usage row do not tell. It is kept with the row, so
// that the request can be routed again as it was. Of a header it is only kept that it had a value which a rule names.

import { unknownAmount } from '../conditions/asked.ts';
import type { RecordedInputs } from '../conditions/asked.ts';
import type { CompiledFrontendModel } from '../snapshot/compile/frontend-models.ts';
import { listedInputsMax } from '../usage/rule-inputs.ts';
import type { RuleInputs } from '../usage/rule-inputs.ts';
import { ask } from './conditions.ts';
import type { Asking } from './request.ts';

/**
 * Null where no rule asks for more than the row says, and where there would be more than a row holds. Asked together with the
 * route: the endpoints must not have changed in between.
 */
export function ruleInputs(
  frontendModel: CompiledFrontendModel | undefined,
  asking: Asking,
): RuleInputs | null {
  const questions = frontendModel?.questions ?? null;
  if (frontendModel === undefined || questions === null) return null;
  const asked = ask(frontendModel, asking);
  const inputs: RecordedInputs = {
    headers: new Map(),
    crowdedRules: [],
    costMicros: unknownAmount,
  };
  for (const { question, rules } of questions.values()) question.keep?.(asked, inputs, rules);
  const { headers, crowdedRules, costMicros } = inputs;
  if (headers.size > listedInputsMax || crowdedRules.length > listedInputsMax) return null;
  return {
    at_ms: Math.floor(asking.request.nowMs),
    headers: Object.fromEntries(headers),
    crowded_rules: crowdedRules,
    cost_micros: costMicros < 0 ? null : costMicros,
  };
}
