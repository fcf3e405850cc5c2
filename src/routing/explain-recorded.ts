// A request of the past, routed again by what its usage row recorded. Rules are judged by the conditions of the request path; what
// the row does not say is said to be unknown, and taken from what was decided then.

import { unknownAmount } from '../conditions/asked.ts';
import type { LoadCeiling } from '../conditions/asked.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import type { PromptClassId, RuleId } from '../lib/ids.ts';
import type { RuleInputs } from '../usage/rule-inputs.ts';
import { answering, ask, failedConditions } from './conditions.ts';
import { judgeRules } from './explain.ts';
import type { Explanation, Judgement } from './explain.ts';
import { idleView } from './idle-view.ts';
import type { Asking } from './request.ts';
import { chooseRoute, followDecision } from './route.ts';

export type RecordedRequest = Readonly<{
  /** The name that the caller asked for. */
  model: string;
  isStream: boolean;
  promptEstimate: number;
  maxTokens: number | null;
  promptClass: PromptClassId | null;
  /** Epoch milliseconds of its beginning. */
  atMs: number;
  /** Null without a budget. */
  budgetPercent: number | null;
  /** Null where no rule asked, or the proxy did not say. */
  inputs: RuleInputs | null;
  /** The value of x-gw-route, and the rule that decided, null for defaults; the route of a row that says none is null. */
  route: string | null;
  ruleId: RuleId | null;
}>;

/**
 * `caller` is the principal as the snapshot knows it: its budget is the recorded one. Every endpoint is taken to be up and idle,
 * so that the order of candidates is that of the configuration.
 */
export function explainRecorded(
  tables: RoutingTables,
  caller: Caller,
  recorded: RecordedRequest,
): Explanation {
  const asking = askingOf(caller, recorded);
  const entry = tables.frontendModels.get(recorded.model);
  if (entry === undefined) return { route: chooseRoute(tables, asking), verdicts: [] };
  const judge = judgeOf(entry, asking, recorded);
  const { decision, verdicts } = judgeRules(tables, entry, judge);
  return { route: followDecision(tables, asking, decision), verdicts };
}

/** With every endpoint up and idle. */
export const askingOf = (caller: Caller, recorded: RecordedRequest): Asking => ({
  caller: { ...caller, budgetUsedPercent: recorded.budgetPercent ?? unknownAmount },
  live: idleView(),
  request: {
    model: recorded.model,
    isStream: recorded.isStream,
    promptEstimate: recorded.promptEstimate,
    maxTokens: recorded.maxTokens,
    promptClass: recorded.promptClass,
    nowMs: recorded.inputs?.at_ms ?? recorded.atMs,
    header: (name) => recorded.inputs?.headers[name],
    // Not recorded: it is made of the prompt.
    conversationKey: () => 0,
  },
});

function judgeOf(entry: CompiledFrontendModel, asking: Asking, recorded: RecordedRequest) {
  const { inputs } = recorded;
  const asked = ask(entry, asking);
  if (inputs !== null) {
    const cost = inputs.cost_micros ?? unknownAmount;
    const crowded = new Set(inputs.crowded_rules);
    return (rule: CompiledRule): Judgement => {
      const hasCapacity = (ceiling: LoadCeiling): boolean =>
        !crowded.has(rule.id) && asked.hasCapacity(ceiling);
      const failed = failedConditions(
        rule,
        answering(asked, { costMicros: () => cost, hasCapacity }),
      );
      return { failed, unknown: [], holds: failed.length === 0 };
    };
  }
  // What the row does not tell is once as every rule asks for it, and once not.
  const optimistic = answering(asked, { hasHeader: () => true });
  const pessimistic = answering(asked, { hasCapacity: () => false });
  return (rule: CompiledRule, path: string): Judgement => {
    const failed = failedConditions(rule, optimistic);
    const unknown = failedConditions(rule, pessimistic).filter((one) => !failed.includes(one));
    const isTaken = unknown.length === 0 || wasTaken(rule, path, recorded);
    return { failed, unknown, holds: failed.length === 0 && isTaken };
  };
}

/** A jump is part of the path of every rule behind it. */
function wasTaken(rule: CompiledRule, path: string, { route, ruleId }: RecordedRequest): boolean {
  if (rule.action === 'jump') return route?.startsWith(`${path}jump:`) ?? false;
  return ruleId === null ? route === path + rule.reason : ruleId === rule.id;
}
