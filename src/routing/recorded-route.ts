// Where a recorded request would go under a configuration that did not serve it. Its rules are judged by the conditions of the request
// path; a condition of which the row does not tell is a question to `suppose`.

import type { Caller } from '../snapshot/compile/callers.ts';
import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { ask, failedConditions } from './conditions.ts';
import type { Question, Suppose } from './every-way.ts';
import { askingOf } from './explain-recorded.ts';
import type { RecordedRequest } from './explain-recorded.ts';
import { judgeRules } from './explain.ts';
import type { Judgement } from './explain.ts';
import { busyView } from './idle-view.ts';
import type { Asking } from './request.ts';
import { chooseRoute, followDecision } from './route.ts';
import type { Route } from './route.ts';
import { toldBy } from './told.ts';
import type { Serving } from './told.ts';

/** A configuration, and who the caller of the request is in it. */
export type Side = Pick<Serving, 'classes' | 'budget'> &
  Readonly<{ tables: RoutingTables; caller: Caller }>;

export type RecordedAsk = Readonly<{
  recorded: RecordedRequest;
  /** Epoch milliseconds: by then the route was chosen. */
  latestMs: number;
  /** Null when it is not known what served the request. */
  serving: Serving | null;
}>;

/** Every endpoint is taken to be up and idle, but where a rule asks how busy it is. */
export function routeRecorded(
  { tables, caller, classes, budget }: Side,
  { recorded, latestMs, serving }: RecordedAsk,
  suppose: Suppose,
): Route {
  const percent = budget === '' ? null : recorded.budgetPercent;
  const asking = askingOf(caller, { ...recorded, budgetPercent: percent });
  const entry = tables.frontendModels.get(recorded.model);
  if (entry === undefined) return chooseRoute(tables, asking);
  const told = toldBy(recorded, serving, { classes, budget, frontendModel: entry });
  const isTimeTold = recorded.inputs !== null;
  const later = isTimeTold ? null : { ...asking, request: { ...asking.request, nowMs: latestMs } };
  const failedAt = failedIn(entry);
  const judge = (rule: CompiledRule): Judgement => {
    const live = told.isCrowded(rule) ? busyView() : asking.live;
    const failed = failedAt(rule, { ...asking, live });
    const open = [
      ...told.open(rule),
      ...(later === null ? [] : clockQuestions(rule, failed, failedAt(rule, { ...later, live }))),
    ];
    const untold = new Set(open.flatMap(({ fields }) => fields));
    const known = failed.filter((field) => !untold.has(field));
    const holds = known.length === 0 && open.every((question) => suppose(question));
    return { failed: known, unknown: [...untold], holds };
  };
  const { decision } = judgeRules(tables, entry, judge, { endsWithDecision: true });
  return followDecision(tables, asking, decision);
}

const failedIn =
  (entry: CompiledFrontendModel) =>
  (rule: CompiledRule, asking: Asking): readonly string[] =>
    failedConditions(rule, ask(entry, asking));

const clockFields: ReadonlySet<string> = new Set(['after', 'before', 'days']);

/** One when the request came before and was routed behind an edge of the rule's window. */
function clockQuestions(
  { conditions: { clock } }: CompiledRule,
  early: readonly string[],
  late: readonly string[],
): readonly Question[] {
  if (clock === null) return [];
  const [before, behind] = [early, late].map((failed) =>
    failed.filter((field) => clockFields.has(field)),
  );
  if (before?.join() === behind?.join()) return [];
  return [{ key: JSON.stringify(['clock', clock]), fields: [...clockFields] }];
}
