// Explains a route: the decision, and the verdict of every rule. Uses the conditions and tables of
// the request path.

import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { ask, failedConditions } from './conditions.ts';
import type { RouteInput } from './request.ts';
import { chooseRoute, destinationOf } from './route.ts';
import type { Route, RuleDecision } from './route.ts';

export type Judgement = Readonly<{
  /** The condition fields that the request does not meet. */
  failed: readonly string[];
  /** Condition fields whose result is unknown. Empty for a live request. */
  unknown: readonly string[];
  /** All known conditions are met. */
  holds: boolean;
}>;

export type Verdict = Pick<Judgement, 'failed' | 'unknown'> &
  Readonly<{
    frontendModel: CompiledFrontendModel;
    rule: CompiledRule;
    /** The conditions hold, but the destination does not exist or would exceed the jump limit. */
    isJumpLost: boolean;
    /** The first rule that matches in its frontend model. */
    isDeciding: boolean;
  }>;

export type Explanation = Readonly<{ route: Route; verdicts: readonly Verdict[] }>;

/** In order, for each frontend model that the request passed through. */
export function explainRoute(tables: RoutingTables, input: RouteInput): Explanation {
  const entry = tables.frontendModels.get(input.request.model);
  const route = chooseRoute(tables, input);
  if (entry === undefined) return { route, verdicts: [] };
  const asked = ask(entry, input);
  const { verdicts } = judgeRules(tables, entry, (rule) => {
    const failed = failedConditions(rule, asked);
    return { failed, unknown: [], holds: failed.length === 0 };
  });
  return { route, verdicts };
}

export type Judged = Readonly<{ decision: RuleDecision; verdicts: readonly Verdict[] }>;

/** `path` is the prefix of x-gw-route at this rule. */
type Judge = (rule: CompiledRule, path: string) => Judgement;

/** Decides as `chooseRoute` does, and then judges the remaining rules, unless `endsWithDecision` is set. */
export function judgeRules(
  tables: RoutingTables,
  entry: CompiledFrontendModel,
  judge: Judge,
  { endsWithDecision = false }: Readonly<{ endsWithDecision?: boolean }> = {},
): Judged {
  const verdicts: Verdict[] = [];
  let here = entry;
  let path = '';
  let tag: string | null = null;
  for (let jumps = 0; ; jumps++) {
    let deciding: CompiledRule | null = null;
    for (const rule of here.rules) {
      const { failed, unknown, holds } = judge(rule, path);
      const isLost = rule.action === 'jump' && destinationOf(tables, rule, jumps) === undefined;
      const isDeciding: boolean = deciding === null && holds && !isLost;
      if (isDeciding) deciding = rule;
      const isJumpLost = isLost && holds;
      verdicts.push({ frontendModel: here, rule, failed, unknown, isJumpLost, isDeciding });
      if (isDeciding && endsWithDecision) break;
    }
    tag = deciding?.tag ?? tag;
    const destination = deciding === null ? undefined : destinationOf(tables, deciding, jumps);
    if (destination === undefined) {
      const reason = `${path}${deciding?.reason ?? 'default'}`;
      return { verdicts, decision: { reason, frontendModel: here, rule: deciding, tag } };
    }
    here = destination;
    path += destination.jumpReason;
  }
}
