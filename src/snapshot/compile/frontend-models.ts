// Frontend models with their rules ready to be judged, and what each can reach: whom its list
// entry concerns, which window it has and what a request to it costs at least.

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
import type { CompiledModel, Prices } from './models.ts';
import { compileTargets, modelsOf } from './targets.ts';
import type { CompiledTarget, Targetable } from './targets.ts';

export type CompiledRule = Readonly<{
  id: RuleId;
  /** Position in the evaluated order, from 0. */
  index: number;
  action: RuleAction;
  /** Those that the rule asks for, cheap ones first. */
  conditions: readonly RuleCondition[];
  /** Their tests. Most rules are ruled out by the first, which is in reach without a list. */
  firstTest: Test;
  otherTests: readonly Test[];
  /** The headers that it asks for. */
  headerNames: readonly string[];
  targets: readonly CompiledTarget[];
  /** What the targets stand for. */
  models: readonly CompiledModel[];
  denyStatus: number;
  denyMessage: string;
  jumpTo: FrontendModelId | null;
  tag: string | null;
  /** The value of x-gw-route when this rule decides. */
  reason: string;
}>;

/** A question about a request that the columns of its usage row do not answer, and the rules that ask it. */
export type RuleQuestion = Readonly<{ question: Question; rules: readonly RuleId[] }>;

export type CompiledFrontendModel = Readonly<{
  id: FrontendModelId;
  name: string;
  rules: readonly CompiledRule[];
  defaultTargets: readonly CompiledTarget[];
  /** Every model that a rule, a jump or the defaults can lead to; the deployment's fallback is not among them. */
  reach: readonly CompiledModel[];
  /** The prices of the reach, each once. */
  reachPrices: readonly Prices[];
  /** The classes that a rule of it names, or one of those that it jumps to: without any, no prompt is classified. */
  namedClasses: ReadonlySet<PromptClassId>;
  /** One of them is of tier refined. */
  namesRefined: boolean;
  /** By their keys; null when there are none. */
  questions: ReadonlyMap<string, RuleQuestion> | null;
  /** Wins over every window of the reach. */
  maxModelLen: number | null;
  /** How the value of x-gw-route begins when another frontend model jumped here. */
  jumpReason: string;
}>;

/** Jumps in a row that a request may make; at the last one, a rule that jumps does not match. */
export const jumpsMax = 8;

const denyMessageDefault = 'a routing rule denies this request';

/** In the order of the snapshot, each in two steps: by itself, and with those that it jumps to. */
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

/** The frontend model and those that it jumps to, in as many jumps as a request may make. */
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

function distinctPrices(models: readonly CompiledModel[]): readonly Prices[] {
  const prices = models.map((model) => model.prices);
  return [...new Map(prices.map((one) => [`${one.input} ${one.output}`, one])).values()];
}
