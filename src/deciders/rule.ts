// Decides commands on the rules of frontend models and their targets (specification, "Frontend
// model, rule, target, pool").

import { rulesMax } from '../lib/amounts.ts';
import { ruleWithId } from '../../projections/config/find.ts';
import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { StoredRule } from '../../events/frontend-model.ts';
import type { FrontendModel, Rule } from '../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { noConditions } from '../conditions/values.ts';
import type { GivenConditions } from '../conditions/schemas.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { denyStatusDefault } from '../lib/fields.ts';
import { ruleId } from '../lib/ids.ts';
import type { FrontendModelId, RuleId, TargetId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { RuleAction } from '../lib/vocabulary.ts';
import { changedConditions } from './condition.ts';
import type { Decision } from './decision.ts';
import { refuseJump } from './jump.ts';
import { positionTaken, refuseTooMany, within } from './part-list.ts';
import { targetIds, targetList, withTarget } from './target.ts';
import type { TargetInput } from './target.ts';

/** Undefined members stay unchanged, or get the default in a new rule; null clears. */
export type RuleFields = Readonly<{
  action?: RuleAction | undefined;
  conditions: GivenConditions;
  targets?: readonly TargetInput[] | undefined;
  deny_status?: number | null | undefined;
  deny_message?: string | null | undefined;
  jump_to?: FrontendModelId | null | undefined;
  tag?: string | null | undefined;
  name?: string | null | undefined;
  enabled?: boolean | undefined;
}>;

type Positioned = Readonly<{ position?: number | undefined }>;

/** With an id, changes that rule; without, creates one. */
export type ListedRule = RuleFields & Readonly<{ id?: RuleId | undefined }>;

export type RuleCommand =
  | Readonly<{ type: 'AddRule'; frontendModelId: FrontendModelId; rule: RuleFields & Positioned }>
  | Readonly<{ type: 'UpdateRule'; id: RuleId; rule: RuleFields & Positioned }>
  | Readonly<{ type: 'RemoveRule'; id: RuleId }>
  /** In order of evaluation. Missing rules are removed. */
  | Readonly<{
      type: 'ReplaceRules';
      frontendModelId: FrontendModelId;
      rules: readonly ListedRule[];
    }>
  | Readonly<{ type: 'AddRuleTarget'; ruleId: RuleId; target: TargetInput }>
  | Readonly<{ type: 'RemoveRuleTarget'; id: TargetId }>;

export function decideRule(state: ConfigState, command: RuleCommand): Decision {
  switch (command.type) {
    case 'AddRule':
      return addRule(state, command);
    case 'UpdateRule':
      return updateRule(state, command);
    case 'RemoveRule': {
      const found = ruleWithId(state, command.id);
      return found === null ? noRule(command.id) : [removed(found.owner, found.rule)];
    }
    case 'ReplaceRules': {
      const owner = state.frontend_model.byId.get(command.frontendModelId);
      if (owner === undefined) return noFrontendModel(command.frontendModelId);
      return replacedRules(state, owner, command.rules);
    }
    case 'AddRuleTarget':
      return addTarget(state, command);
    case 'RemoveRuleTarget':
      return removeTarget(state, command.id);
  }
}

type Of<Type extends RuleCommand['type']> = Extract<RuleCommand, { type: Type }>;

export const noFrontendModel = (id: number): Refusal =>
  refuse('absent', `frontend model ${id} does not exist`);
const noRule = (id: number): Refusal => refuse('absent', `rule ${id} does not exist`);

/** Existing, or being created. */
type Owner = Pick<FrontendModel, 'id' | 'name' | 'rules'>;

function addRule(state: ConfigState, { frontendModelId, rule }: Of<'AddRule'>): Decision {
  const owner = state.frontend_model.byId.get(frontendModelId);
  if (owner === undefined) return noFrontendModel(frontendModelId);
  const tooMany = refuseTooMany('rules', owner.rules.length + 1, rulesMax);
  if (tooMany !== null) return tooMany;
  const position = rule.position ?? (owner.rules.at(-1)?.position ?? -1) + 1;
  if (owner.rules.some((one) => one.position === position)) return positionTaken(position);
  return writtenRule(state, newIds(state), { owner, held: null, given: rule, position });
}

function updateRule(state: ConfigState, { id, rule: given }: Of<'UpdateRule'>): Decision {
  const found = ruleWithId(state, id);
  if (found === null) return noRule(id);
  const { owner, rule: held } = found;
  const position = given.position ?? held.position;
  const isTaken = owner.rules.some((one) => one.position === position && one.id !== id);
  if (isTaken) return positionTaken(position);
  return writtenRule(state, newIds(state), { owner, held, given, position });
}

/** Removals come first, then each rule in order. Unchanged rules make no event. */
export function replacedRules(
  state: ConfigState,
  owner: Owner,
  given: readonly ListedRule[],
): readonly GwEvent[] | Refusal {
  const tooMany = refuseTooMany('rules', given.length, rulesMax);
  if (tooMany !== null) return tooMany;
  const ids = newIds(state);
  const kept = new Set<RuleId>();
  const events: GwEvent[] = [];
  for (const [position, rule] of given.entries()) {
    const place = `rules.${position}.`;
    const held =
      rule.id === undefined ? null : (owner.rules.find(({ id }) => id === rule.id) ?? null);
    if (rule.id !== undefined) {
      if (held === null) return within(place, notOf(owner, rule.id));
      if (kept.has(rule.id)) return within(place, givenTwice(rule.id));
      kept.add(rule.id);
    }
    const written = writtenRule(state, ids, { owner, held, given: rule, position });
    if (isRefusal(written)) return within(place, written);
    events.push(...written);
  }
  const gone = owner.rules.filter(({ id }) => !kept.has(id));
  return [...gone.map((rule) => removed(owner, rule)), ...events];
}

const notOf = ({ name }: Owner, id: RuleId): Refusal =>
  refuse('invalid', `id ${id} does not exist in frontend model ${name}`, { param: 'id' });
const givenTwice = (id: RuleId): Refusal =>
  refuse('invalid', `id ${id} is given twice`, { param: 'id' });

const removed = ({ id }: Pick<Owner, 'id'>, rule: Pick<Rule, 'id'>): GwEvent => ({
  stream: streamOf('frontend_model', id),
  type: 'FrontendModelRuleRemoved',
  data: { id, rule_id: rule.id },
});

type Ids = Readonly<{ rule: () => RuleId; target: () => TargetId }>;

function newIds(state: ConfigState): Ids {
  let last = state.frontend_model.lastParts['rule'] ?? 0;
  return { rule: () => ruleId.parse((last += 1)), target: targetIds(state) };
}

type Written = Readonly<{
  owner: Owner;
  held: Rule | null;
  given: RuleFields;
  position: number;
}>;

function writtenRule(state: ConfigState, ids: Ids, asked: Written): readonly GwEvent[] | Refusal {
  const { owner, held, given, position } = asked;
  const { id } = owner;
  const stream = streamOf('frontend_model', id);
  const next = nextRule(state, asked);
  if (isRefusal(next)) return next;
  const targets = nextTargets(state, ids, { held, given, action: next.action });
  if (isRefusal(targets)) return targets;
  if (held === null) {
    const rule = { id: ids.rule(), position, ...next };
    return [{ stream, type: 'FrontendModelRuleAdded', data: { id, rule, targets } }];
  }
  const { targets: heldTargets, ...heldRule } = held;
  const rule = { id: held.id, position, ...next };
  const events: GwEvent[] = [];
  if (canonicalJson(rule) !== canonicalJson(heldRule)) {
    events.push({ stream, type: 'FrontendModelRuleChanged', data: { id, rule } });
  }
  if (canonicalJson(targets) !== canonicalJson(heldTargets)) {
    const data = { id, rule_id: held.id, targets };
    events.push({ stream, type: 'FrontendModelTargetsSet', data });
  }
  return events;
}

type Next = Omit<StoredRule, 'id' | 'position'>;

function nextRule(state: ConfigState, { owner, held, given }: Written): Next | Refusal {
  const action = given.action ?? held?.action ?? 'route';
  const stray = refuseStray(action, given);
  if (stray !== null) return stray;
  const conditions = changedConditions(state, held?.conditions ?? noConditions, given.conditions);
  if (isRefusal(conditions)) return conditions;
  // Clears fields of the previous action.
  const own = <Value>(of: RuleAction, asked: Value | undefined, was: Value | null): Value | null =>
    action !== of ? null : asked === undefined ? was : asked;
  const status = own('deny', given.deny_status, held?.deny_status ?? null);
  const jump_to = own('jump', given.jump_to, held?.jump_to ?? null);
  if (action === 'jump' && jump_to === null) {
    return refuse('invalid', 'jump_to is needed for action jump', { param: 'jump_to' });
  }
  // A jump may keep a destination that was deleted; it then matches nothing.
  if (jump_to !== null && jump_to !== held?.jump_to) {
    const refusal = refuseJump(state, owner, jump_to);
    if (refusal !== null) return refusal;
  }
  return {
    action,
    conditions,
    deny_status: action === 'deny' ? (status ?? denyStatusDefault) : null,
    deny_message: own('deny', given.deny_message, held?.deny_message ?? null),
    jump_to,
    tag: given.tag === undefined ? (held?.tag ?? null) : given.tag,
    ...label(given.name === undefined ? held?.name : given.name),
    ...((given.enabled ?? held?.enabled ?? true) ? {} : { enabled: false }),
  };
}

const label = (name: string | null | undefined): Pick<StoredRule, 'name'> =>
  name === undefined || name === null ? {} : { name };

const actionOfField = { deny_status: 'deny', deny_message: 'deny', jump_to: 'jump' } as const;
const ownFields = ['deny_status', 'deny_message', 'jump_to'] as const;

/** Rejects a field of another action instead of ignoring it. */
function refuseStray(action: RuleAction, given: RuleFields): Refusal | null {
  const stray = ownFields.find(
    (field) => action !== actionOfField[field] && (given[field] ?? null) !== null,
  );
  if (stray === undefined) return null;
  const value = stray === 'deny_message' ? '' : ` ${given[stray]}`;
  const message = `${stray}${value} is for action ${actionOfField[stray]}, not ${action}`;
  return refuse('invalid', message, { param: stray });
}

function nextTargets(
  state: ConfigState,
  ids: Ids,
  { held, given, action }: Pick<Written, 'held' | 'given'> & Readonly<{ action: RuleAction }>,
): Rule['targets'] | Refusal {
  const heldTargets = held?.targets ?? [];
  if (action === 'route') {
    if (given.targets === undefined) return heldTargets;
    return targetList(state, { held: heldTargets, given: given.targets, nextId: ids.target });
  }
  const count = (given.targets ?? heldTargets).length;
  if (count === 0) return [];
  const message = `targets are for action route, not ${action}; an empty list removes the current ones`;
  return refuse('invalid', message, { param: 'targets' });
}

function addTarget(state: ConfigState, { ruleId, target }: Of<'AddRuleTarget'>): Decision {
  const found = ruleWithId(state, ruleId);
  if (found === null) return noRule(ruleId);
  const { owner, rule } = found;
  if (rule.action !== 'route') {
    return refuse('invalid', `rule ${ruleId} has action ${rule.action}, which takes no targets`);
  }
  const targets = withTarget(state, rule.targets, target);
  if (isRefusal(targets)) return targets;
  return [targetsSet(owner.id, rule.id, targets)];
}

function removeTarget(state: ConfigState, id: TargetId): Decision {
  for (const owner of state.frontend_model.byId.values()) {
    const rule = owner.rules.find(({ targets }) => targets.some((target) => target.id === id));
    if (rule === undefined) continue;
    const rest = rule.targets.filter((target) => target.id !== id);
    return [targetsSet(owner.id, rule.id, rest)];
  }
  return refuse('absent', `rule target ${id} does not exist`);
}

export const targetsSet = (
  id: FrontendModelId,
  rule_id: RuleId | null,
  targets: Rule['targets'],
): GwEvent => ({
  stream: streamOf('frontend_model', id),
  type: 'FrontendModelTargetsSet',
  data: { id, rule_id, targets },
});
