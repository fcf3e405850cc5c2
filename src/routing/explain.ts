// Why a request is routed as it is: every rule's verdict beside the decision. It asks the same
// conditions over the same tables as the request path does.

import type { RoutingTables } from '../snapshot/compile.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { ask, failedConditions } from './conditions.ts';
import type { Asked } from './conditions.ts';
import type { Asking } from './request.ts';
import { chooseRoute, destinationOf } from './route.ts';
import type { Route } from './route.ts';

export type Verdict = Readonly<{
  frontendModel: CompiledFrontendModel;
  rule: CompiledRule;
  /** The condition fields that the request does not meet. */
  failed: readonly string[];
  /** Its conditions hold, but its destination is gone or would be one jump too many. */
  isJumpLost: boolean;
  /** The first to match in its frontend model. */
  isDeciding: boolean;
}>;

export type Explanation = Readonly<{ route: Route; verdicts: readonly Verdict[] }>;

/** The verdicts of all rules of each frontend model that the request passed through, in order. */
export function explainRoute(tables: RoutingTables, asking: Asking): Explanation {
  const entry = tables.frontendModels.get(asking.request.model);
  const verdicts = entry === undefined ? [] : judge(tables, entry, ask(entry, asking));
  return { route: chooseRoute(tables, asking), verdicts };
}

function judge(
  tables: RoutingTables,
  entry: CompiledFrontendModel,
  asked: Asked,
): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  let here: CompiledFrontendModel | undefined = entry;
  for (let jumps = 0; here !== undefined; jumps++) {
    let deciding: CompiledRule | undefined;
    for (const rule of here.rules) {
      const failed = failedConditions(rule, asked);
      const isLost = rule.action === 'jump' && destinationOf(tables, rule, jumps) === undefined;
      const isDeciding = deciding === undefined && failed.length === 0 && !isLost;
      if (isDeciding) deciding = rule;
      const isJumpLost = isLost && failed.length === 0;
      verdicts.push({ frontendModel: here, rule, failed, isJumpLost, isDeciding });
    }
    here = deciding === undefined ? undefined : destinationOf(tables, deciding, jumps);
  }
  return verdicts;
}
