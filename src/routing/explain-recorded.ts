// Routes a past request again from its usage row, with the conditions of the request path. What the
// row does not record is reported as unknown and taken from the recorded decision.

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
import type { RouteInput } from './request.ts';
import { chooseRoute, followDecision } from './route.ts';

export type RecordedRequest = Readonly<{
  model: string;
  isStream: boolean;
  promptEstimate: number;
  maxTokens: number | null;
  promptClass: PromptClassId | null;
  /** The start of the request, in epoch milliseconds. */
  atMs: number;
  /** Null without a budget. */
  budgetPercent: number | null;
  /** Null when no rule needed them, or the proxy did not report them. */
  inputs: RuleInputs | null;
  /** The value of x-gw-route (null when the row has none), and the deciding rule (null for defaults). */
  route: string | null;
  ruleId: RuleId | null;
}>;

/**
 * `caller` is the principal of the snapshot, with the recorded budget. Candidates keep the order of
 * the configuration, because every endpoint counts as up and idle.
 */
export function explainRecorded(
  tables: RoutingTables,
  caller: Caller,
  recorded: RecordedRequest,
): Explanation {
  const input = routeInputOf(caller, recorded);
  const entry = tables.frontendModels.get(recorded.model);
  if (entry === undefined) return { route: chooseRoute(tables, input), verdicts: [] };
  const judge = judgeOf(entry, input, recorded);
  const { decision, verdicts } = judgeRules(tables, entry, judge);
  return { route: followDecision(tables, input, decision), verdicts };
}

/** With every endpoint up and idle. */
export const routeInputOf = (caller: Caller, recorded: RecordedRequest): RouteInput => ({
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
    // The key is computed from the prompt, which is not recorded.
    conversationKey: () => 0,
  },
});

function judgeOf(entry: CompiledFrontendModel, input: RouteInput, recorded: RecordedRequest) {
  const { inputs } = recorded;
  const asked = ask(entry, input);
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
  // Evaluates rules with unrecorded values twice: as if the values matched every rule, and none.
  const optimistic = answering(asked, { hasHeader: () => true });
  const pessimistic = answering(asked, { hasCapacity: () => false });
  return (rule: CompiledRule, path: string): Judgement => {
    const failed = failedConditions(rule, optimistic);
    const unknown = failedConditions(rule, pessimistic).filter((one) => !failed.includes(one));
    const isTaken = unknown.length === 0 || wasTaken(rule, path, recorded);
    return { failed, unknown, holds: failed.length === 0 && isTaken };
  };
}

/** A jump is part of the path of every rule that follows it. */
function wasTaken(rule: CompiledRule, path: string, { route, ruleId }: RecordedRequest): boolean {
  if (rule.action === 'jump') return route?.startsWith(`${path}jump:`) ?? false;
  return ruleId === null ? route === path + rule.reason : ruleId === rule.id;
}
