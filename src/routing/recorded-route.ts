// Routes a recorded request under a configuration that did not serve it, with the conditions of the
// request path. `assume` answers each condition that the row does not record.

import type { Asked } from '../conditions/asked.ts';
import type { RuleCondition } from '../conditions/compile.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { answering, ask, failedConditions } from './conditions.ts';
import type { Assume } from './enumerate-answers.ts';
import { routeInputOf } from './explain-recorded.ts';
import type { RecordedRequest } from './explain-recorded.ts';
import { judgeRules } from './explain.ts';
import type { Judgement } from './explain.ts';
import { chooseRoute, followDecision } from './route.ts';
import type { Route } from './route.ts';
import { answersOf } from './row-answers.ts';
import type { Serving } from './row-answers.ts';

/** A configuration, and the caller of the request in it. */
export type Side = Pick<Serving, 'classes' | 'budget'> &
  Readonly<{ tables: RoutingTables; caller: Caller }>;

export type RecordedAsk = Readonly<{
  recorded: RecordedRequest;
  /** The route was chosen by then, in epoch milliseconds. */
  latestMs: number;
  /** Null when the configuration that served the request is unknown. */
  serving: Serving | null;
}>;

/** Every endpoint counts as up and idle, except where the row records how busy it was. */
export function routeRecorded(
  { tables, caller, classes, budget }: Side,
  { recorded, latestMs, serving }: RecordedAsk,
  assume: Assume,
): Route {
  const percent = budget === '' ? null : recorded.budgetPercent;
  const input = routeInputOf(caller, { ...recorded, budgetPercent: percent });
  const entry = tables.frontendModels.get(recorded.model);
  if (entry === undefined) return chooseRoute(tables, input);
  const row = answersOf(recorded, serving, { classes, budget, frontendModel: entry });
  const askAt = (nowMs: number): Asked => {
    const asked = ask(entry, { ...input, request: { ...input.request, nowMs } });
    return answering(asked, {
      hasCapacity: (ceiling) => !row.isCrowded(ceiling) && asked.hasCapacity(ceiling),
    });
  };
  const asked = askAt(input.request.nowMs);
  const lateAsked = askAt(latestMs);
  /** The request arrived before an edge of the rule's time window and may have been routed after it. */
  const crossesBoundary = ({ failed }: RuleCondition): boolean =>
    failed(asked).join() !== failed(lateAsked).join();
  const judge = (rule: CompiledRule): Judgement => {
    const open = rule.conditions.flatMap((one) =>
      (one.questions ?? []).flatMap((question) =>
        question.answeredBy === 'time' && !crossesBoundary(one) ? [] : (row.open(question) ?? []),
      ),
    );
    const unanswered = new Set(open.flatMap(({ fields }) => fields));
    const known = failedConditions(rule, asked).filter((field) => !unanswered.has(field));
    const holds = known.length === 0 && open.every((question) => assume(question));
    return { failed: known, unknown: [...unanswered], holds };
  };
  const { decision } = judgeRules(tables, entry, judge, { endsWithDecision: true });
  return followDecision(tables, input, decision);
}
