// Compiles frontend models with their rules, and what each can reach: whose model list shows it,
// its context length and the minimum cost of a request.

import type { Question } from '../../conditions/asked.ts';
import { compileConditions, noTest } from '../../conditions/compile.ts';
import type { RuleCondition, Test } from '../../conditions/compile.ts';
import { denyStatusDefault } from '../../lib/fields.ts';
import { headerText } from '../../lib/header-text.ts';
import type { FrontendModelId, PromptClassId, RuleId } from '../../lib/ids.ts';
import type { Steps } from '../../lib/steps.ts';
import type { RuleAction } from '../../lib/vocabulary.ts';
import type { SnapshotConfig, SnapshotFrontendModel, SnapshotRule } from '../schema.ts';
import { classReachOf } from './class-reach.ts';
import type { ClassReach } from './class-reach.ts';
import type { CompiledModel } from './models.ts';
import { compileTargets, modelsOf } from './targets.ts';
import type { CompiledTarget, Targetable } from './targets.ts';

export type CompiledRule = Readonly<{
  id: RuleId;
  /** Position in evaluation order, from 0. */
  index: number;
  action: RuleAction;
  /** The conditions that the rule sets, cheapest first. */
  conditions: readonly RuleCondition[];
  /**
   * The tests of the conditions. The first is also stored outside the list, because it excludes
   * most rules.
   */
  firstTest: Test;
  otherTests: readonly Test[];
  /** The headers that the rule reads. */
  headerNames: readonly string[];
  targets: readonly CompiledTarget[];
  /** Those that the targets resolve to. */
  models: readonly CompiledModel[];
  denyStatus: number;
  denyMessage: string;
  jumpTo: FrontendModelId | null;
  tag: string | null;
  /** The value of x-gw-route if this rule decides. */
  reason: string;
}>;

/** A question that the columns of a usage row do not answer, and the rules that ask it. */
export type RuleQuestion = Readonly<{ question: Question; rules: readonly RuleId[] }>;

export type CompiledFrontendModel = Readonly<{
  id: FrontendModelId;
  name: string;
  rules: readonly CompiledRule[];
  defaultTargets: readonly CompiledTarget[];
  /** Every model that a rule, jump or default can lead to, without the deployment's fallback. */
  reach: readonly CompiledModel[];
  reachPrices: readonly CompiledModel['prices'][];
  /**
   * Includes the classes of frontend models that its rules jump to. If empty, prompts are not
   * classified.
   */
  namedClasses: ReadonlySet<PromptClassId>;
  /** True if one of them has tier refined. */
  namesRefined: boolean;
  /** Keyed by question. Null if there are none. */
  questions: ReadonlyMap<string, RuleQuestion> | null;
  /** Has priority over the context lengths of the reachable models. */
  maxModelLen: number | null;
  /** The prefix of x-gw-route if another frontend model jumped here. */
  jumpReason: string;
}>;

/** Per request. After it, rules that jump do not match. */
export const jumpsMax = 8;

const denyMessageDefault = 'a routing rule denies this request';

/** In snapshot order, each in two steps: alone, and with the frontend models that it jumps to. */
export function* frontendModelSteps(
  config: SnapshotConfig,
  targetable: Targetable,
): Steps<readonly CompiledFrontendModel[]> {
  const classReach = classReachOf(config.prompt_classes);
  const refined = config.prompt_classes.filter(({ tier }) => tier === 'refined');
  const local = new Map<FrontendModelId, Local>();
  for (const frontendModel of config.frontend_models) {
    local.set(frontendModel.id, compileLocally(frontendModel, targetable, classReach));
    yield;
  }
  const whole: CompiledFrontendModel[] = [];
  for (const { id, max_model_len: maxModelLen } of config.frontend_models) {
    const own = local.get(id);
    if (own === undefined) continue;
    const entered = enteredFrom(id, local);
    const reach = reachOf(entered);
    const namedClasses = new Set(entered.flatMap((one) => one.rules.flatMap(classNamed)));
    const namesRefined = refined.some((one) => namedClasses.has(one.id));
    const named = { namedClasses, namesRefined, questions: questionsOf(entered) };
    whole.push({ ...own, ...named, reach, reachPrices: distinctPrices(reach), maxModelLen });
    yield;
  }
  return whole;
}

const classNamed = ({ conditions }: CompiledRule): readonly PromptClassId[] =>
  conditions.flatMap(({ namedClass }) => namedClass ?? []);

type Local = Pick<CompiledFrontendModel, 'id' | 'name' | 'rules' | 'defaultTargets' | 'jumpReason'>;

function compileLocally(
  { id, name, rules, default_targets: defaults }: SnapshotFrontendModel,
  targetable: Targetable,
  classReach: ClassReach,
): Local {
  return {
    id,
    name,
    rules: rules
      .toSorted((a, b) => a.position - b.position)
      .map((rule, index) => compileRule(rule, index, targetable, classReach)),
    defaultTargets: compileTargets(defaults, targetable),
    jumpReason: `jump:${headerText(name)}>`,
  };
}

function compileRule(
  rule: SnapshotRule,
  index: number,
  targetable: Targetable,
  classReach: ClassReach,
): CompiledRule {
  const targets = compileTargets(rule.targets, targetable);
  const models = modelsOf(targets);
  const conditions = compileConditions(rule.conditions, { models, classReach });
  const [firstTest = noTest, ...otherTests] = conditions.map(({ test }) => test);
  return {
    id: rule.id,
    index,
    action: rule.action,
    conditions,
    firstTest,
    otherTests,
    headerNames: conditions.flatMap((one) => one.headerNames ?? []),
    targets,
    models,
    denyStatus: rule.deny_status ?? denyStatusDefault,
    denyMessage: rule.deny_message ?? denyMessageDefault,
    jumpTo: rule.jump_to,
    tag: rule.tag,
    reason: `rule:${index}`,
  };
}

/** The frontend model and those within the maximum number of jumps. */
function enteredFrom(
  id: FrontendModelId,
  local: ReadonlyMap<FrontendModelId, Local>,
): readonly Local[] {
  const visited = new Map<FrontendModelId, Local>();
  let entered: readonly FrontendModelId[] = [id];
  for (let jumps = 0; jumps <= jumpsMax && entered.length > 0; jumps++) {
    const here = entered.flatMap((one) => (visited.has(one) ? [] : (local.get(one) ?? [])));
    for (const one of here) visited.set(one.id, one);
    entered = here.flatMap((one) => one.rules.flatMap(({ jumpTo }) => jumpTo ?? []));
  }
  return [...visited.values()];
}

function questionsOf(entered: readonly Local[]): CompiledFrontendModel['questions'] {
  const questions = new Map<string, { question: Question; rules: RuleId[] }>();
  for (const { id, conditions } of entered.flatMap((one) => one.rules)) {
    for (const question of conditions.flatMap((one) => one.questions ?? [])) {
      if (question.keep === undefined) continue;
      const held = questions.get(question.key);
      if (held === undefined) questions.set(question.key, { question, rules: [id] });
      else held.rules.push(id);
    }
  }
  return questions.size === 0 ? null : questions;
}

function reachOf(entered: readonly Local[]): readonly CompiledModel[] {
  const targets = entered.flatMap((one) => [
    ...one.rules.flatMap((rule) => (rule.action === 'route' ? rule.targets : [])),
    ...one.defaultTargets,
  ]);
  return [...new Set(modelsOf(targets))];
}

function distinctPrices(models: readonly CompiledModel[]): readonly CompiledModel['prices'][] {
  const byText = models.map(({ prices }) => [JSON.stringify(prices), prices] as const);
  return [...new Map(byText).values()];
}
