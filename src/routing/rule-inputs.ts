// Collects the inputs of a frontend model's rules that the columns of a usage row do not contain,
// so that the request can be routed again later. Records a header only if its value is one that a
// rule names.

import { unknownAmount } from '../conditions/asked.ts';
import type { RecordedInputs } from '../conditions/asked.ts';
import type { CompiledFrontendModel } from '../snapshot/compile/frontend-models.ts';
import { listedInputsMax } from '../usage/rule-inputs.ts';
import type { RuleInputs } from '../usage/rule-inputs.ts';
import { ask } from './conditions.ts';
import type { RouteInput } from './request.ts';

/**
 * Null when no rule needs more than the row contains, or when there are more inputs than a row holds. Call this
 * together with the routing decision: the endpoints must not change in between.
 */
export function ruleInputs(
  frontendModel: CompiledFrontendModel | undefined,
  input: RouteInput,
): RuleInputs | null {
  const questions = frontendModel?.questions ?? null;
  if (frontendModel === undefined || questions === null) return null;
  const asked = ask(frontendModel, input);
  const inputs: RecordedInputs = {
    headers: new Map(),
    crowdedRules: [],
    costMicros: unknownAmount,
  };
  for (const { question, rules } of questions.values()) question.keep?.(asked, inputs, rules);
  const { headers, crowdedRules, costMicros } = inputs;
  if (headers.size > listedInputsMax || crowdedRules.length > listedInputsMax) return null;
  return {
    at_ms: Math.floor(input.request.nowMs),
    headers: Object.fromEntries(headers),
    crowded_rules: crowdedRules,
    cost_micros: costMicros < 0 ? null : costMicros,
  };
}
