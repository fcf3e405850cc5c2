// What the rules of a frontend model ask of a request beside what its usage row says anyway: kept with the row, so that the request
// can be routed again as it was. Of a header it is only kept that it had a value which a rule names.

import type { CompiledFrontendModel, RuleQuestions } from '../snapshot/compile/frontend-models.ts';
import { listedInputsMax } from '../usage/rule-inputs.ts';
import type { RuleInputs } from '../usage/rule-inputs.ts';
import { ask, costOf, hasRoom } from './conditions.ts';
import type { Asking } from './request.ts';

/**
 * Null where no rule asks for more than the row says, and where there would be more than a row holds. Asked together with the
 * route: the endpoints must not have got on meanwhile.
 */
export function ruleInputs(
  frontendModel: CompiledFrontendModel | undefined,
  asking: Asking,
): RuleInputs | null {
  const questions = frontendModel?.questions ?? null;
  if (frontendModel === undefined || questions === null) return null;
  const asked = ask(frontendModel, asking);
  const headers = headersNamed(questions, asking);
  const crowded = questions.inFlight
    .filter((rule) => !hasRoom(rule, rule.conditions.inFlightBelow ?? 0, asked))
    .map(({ id }) => id);
  if (headers.length > listedInputsMax || crowded.length > listedInputsMax) return null;
  const cost = questions.isCostAsked ? costOf(asked) : -1;
  return {
    at_ms: Math.floor(asking.request.nowMs),
    headers: Object.fromEntries(headers),
    crowded_rules: crowded,
    cost_micros: cost < 0 ? null : cost,
  };
}

const headersNamed = ({ headers }: RuleQuestions, { request }: Asking): [string, string][] =>
  [...headers].flatMap(([name, values]): [string, string][] => {
    const value = request.header(name);
    return value !== undefined && values.has(value) ? [[name, value]] : [];
  });
