// Chooses the route of a request: the first matching rule of the frontend model, its defaults, or the named provider model
// (specification, "Gateway behaviour rules" 1 to 4). The gateway and the dry run share it.

import type { Asked } from '../conditions/asked.ts';
import type { RoutingTables } from '../snapshot/compile.ts';
import { jumpsMax } from '../snapshot/compile/frontend-models.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool, CompiledTarget } from '../snapshot/compile/targets.ts';
import { buildChain } from './chain.ts';
import type { ChainOptions } from './chain.ts';
import { ask, matches } from './conditions.ts';
import type { RouteInput } from './request.ts';

export type Decision = Readonly<{
  /** The value of x-gw-route. */
  reason: string;
  /** The one whose rule or defaults decided. Null when a provider model was named. */
  frontendModel: CompiledFrontendModel | null;
  /** Null when no rule matched. */
  rule: CompiledRule | null;
  /** The tag of the rule, otherwise of the last jump that led to it. */
  tag: string | null;
}>;

type Filled<Member> = readonly [Member, ...Member[]];

export type Route =
  /** At least one candidate. No target named `fallback`. */
  | Readonly<{
      kind: 'chain';
      candidates: Filled<CompiledModel>;
      fallback: CompiledModel | null;
      decision: Decision;
    }>
  | Readonly<{ kind: 'deny'; status: number; message: string; decision: Decision }>
  /** The models that would serve it are out of rotation; this is the first. */
  | Readonly<{ kind: 'out'; model: CompiledModel; decision: Decision }>
  /** The caller may not invoke any model that would serve it; this is the first. */
  | Readonly<{ kind: 'ungranted'; model: CompiledModel; decision: Decision }>
  /** No model serves the name. Without a decision the name is unknown. */
  | Readonly<{ kind: 'absent'; decision: Decision | null }>;

export type ChainRoute = Extract<Route, { kind: 'chain' }>;
export type DenyRoute = Extract<Route, { kind: 'deny' }>;

/** The value of x-gw-route when this candidate answers. */
export const reasonOf = ({ fallback, decision }: ChainRoute, candidate: CompiledModel): string =>
  candidate === fallback ? 'default' : decision.reason;

/** Null for a model that a target names, and for the fallback. */
export function poolAround(
  { rule, frontendModel }: Decision,
  candidate: CompiledModel,
): CompiledPool | null {
  const targets = rule?.targets ?? frontendModel?.defaultTargets ?? [];
  const target = targets.find((one) =>
    one.kind === 'model' ? one.model === candidate : one.members.includes(candidate),
  );
  return target?.kind === 'pool' ? target : null;
}

export function chooseRoute(tables: RoutingTables, input: RouteInput): Route {
  const { request } = input;
  const frontendModel = tables.frontendModels.get(request.model);
  if (frontendModel === undefined) {
    const model = tables.models.get(request.model);
    if (model === undefined) return unknownName;
    return routeAlong([{ kind: 'model', model }], input, concrete, {
      fallback: tables.fallback,
      // The caller chose this model by name, so an estimate of the prompt's size must not overrule it.
      tokens: 0,
    });
  }
  return followDecision(tables, input, decide(tables, frontendModel, ask(frontendModel, input)));
}

export function followDecision(
  tables: RoutingTables,
  input: RouteInput,
  decision: RuleDecision,
): Route {
  const { request } = input;
  const { rule } = decision;
  if (rule?.action === 'deny') {
    return { kind: 'deny', status: rule.denyStatus, message: rule.denyMessage, decision };
  }
  const targets = rule === null ? decision.frontendModel.defaultTargets : rule.targets;
  return routeAlong(targets, input, decision, {
    fallback: tables.fallback,
    tokens: request.promptEstimate + (request.maxTokens ?? 0),
  });
}

const unknownName: Route = { kind: 'absent', decision: null };
const concrete: Decision = { reason: 'concrete', frontendModel: null, rule: null, tag: null };

export type RuleDecision = Decision & Readonly<{ frontendModel: CompiledFrontendModel }>;

/** Every action is terminal: a jump continues in the other chain and does not return. */
function decide(tables: RoutingTables, entry: CompiledFrontendModel, asked: Asked): RuleDecision {
  let frontendModel = entry;
  let path = '';
  let tag: string | null = null;
  for (let jumps = 0; ; jumps++) {
    const rule = firstMatch(tables, frontendModel, asked, jumps);
    if (rule === null) return { reason: `${path}default`, frontendModel, rule, tag };
    tag = rule.tag ?? tag;
    const destination = destinationOf(tables, rule, jumps);
    if (destination === undefined) {
      return { reason: path + rule.reason, frontendModel, rule, tag };
    }
    frontendModel = destination;
    path += destination.jumpReason;
  }
}

function firstMatch(
  tables: RoutingTables,
  { rules }: CompiledFrontendModel,
  asked: Asked,
  jumps: number,
): CompiledRule | null {
  for (const rule of rules) {
    if (!matches(rule, asked)) continue;
    if (rule.action !== 'jump' || destinationOf(tables, rule, jumps) !== undefined) return rule;
  }
  return null;
}

/**
 * A rule whose destination does not exist, or that would exceed the jump limit, does not match, so
 * that a configured loop cannot trap a request.
 */
export function destinationOf(
  tables: RoutingTables,
  { jumpTo, action }: CompiledRule,
  jumps: number,
): CompiledFrontendModel | undefined {
  if (action !== 'jump' || jumpTo === null || jumps >= jumpsMax) return undefined;
  return tables.frontendModelsById.get(jumpTo);
}

function routeAlong(
  targets: readonly CompiledTarget[],
  input: RouteInput,
  decision: Decision,
  options: ChainOptions,
): Route {
  const { candidates, fallback, out, ungranted } = buildChain(targets, input, options);
  if (isFilled(candidates)) return { kind: 'chain', candidates, fallback, decision };
  if (out !== null) return { kind: 'out', model: out, decision };
  if (ungranted === null) return { kind: 'absent', decision };
  return { kind: 'ungranted', model: ungranted, decision };
}

const isFilled = <Member>(members: readonly Member[]): members is Filled<Member> =>
  members.length > 0;
