// Why a request is routed as it is: every rule's verdict beside the decision. It asks the same
// conditions over the same tables as the request path does.

import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { ask, failedConditions } from './conditions.ts';
import type { Asking } from './request.ts';
import { chooseRoute, destinationOf } from './route.ts';
import type { Route, RuleDecision } from './route.ts';

/** What is known of a rule's conditions. */
export type Judgement = Readonly<{
  /** The condition fields that the request does not meet. */
  failed: readonly string[];
  /** Those of which it is not known; none of a request that is at hand. */
  unknown: readonly string[];
  /** All are met, as far as anyone can tell. */
  holds: boolean;
}>;

export type Verdict = Pick<Judgement, 'failed' | 'unknown'> &
  Readonly<{
    frontendModel: CompiledFrontendModel;
    rule: CompiledRule;
    /** Its conditions hold, but its destination is gone or would be one jump too many. */
    isJumpLost: boolean;
    /** The first to match in its frontend model. */
    isDeciding: boolean;
  }>;

export type Explanation = Readonly<{ route: Route; verdicts: readonly Verdict[] }>;

/** The verdicts of all rules of each frontend model that the request passed through, in order. */
export function explainRoute(tables: RoutingTables, asking: Asking): Explanation {
  const entry = tables.frontendModels.get(asking.request.model);
  const route = chooseRoute(tables, asking);
  if (entry === undefined) return { route, verdicts: [] };
  const asked = ask(entry, asking);
  const { verdicts } = judgeRules(tables, entry, (rule) => {
    const failed = failedConditions(rule, asked);
    return { failed, unknown: [], holds: failed.length === 0 };
  });
  return { route, verdicts };
}

export type Judged = Readonly<{ decision: RuleDecision; verdicts: readonly Verdict[] }>;

/** `path` is how the value of x-gw-route begins where the rule stands. */
type Judge = (rule: CompiledRule, path: string) => Judgement;

/**
 * As `chooseRoute` decides. It goes on behind the rule that decides, to judge all of them, unless only the decision is asked for.
 */
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
