// Decides commands on frontend models and their default targets (specification, "Frontend model,
// rule, target, pool"). Grants never name a frontend model, because each candidate needs its own
// (Gateway rule 4).

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { FrontendModel } from '../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { frontendModelId } from '../lib/ids.ts';
import type { FrontendModelId, TargetId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { claimName } from './model-name.ts';
import type { Place } from './part-list.ts';
import { noFrontendModel, replacedRules, targetsSet } from './rule.ts';
import type { ListedRule } from './rule.ts';
import { setFields } from './set-fields.ts';
import { targetIds, targetList, withTarget } from './target.ts';
import type { TargetInput } from './target.ts';

/** Undefined members stay unchanged; null clears. */
export type FrontendModelFields = Readonly<{
  name?: string | undefined;
  description?: string | null | undefined;
  maxModelLen?: number | null | undefined;
  defaultTargets?: readonly TargetInput[] | undefined;
}>;

export type FrontendModelCommand =
  | Readonly<{
      type: 'CreateFrontendModel';
      name: string;
      description: string | null;
      maxModelLen: number | null;
      rules: readonly ListedRule[];
      defaultTargets: readonly TargetInput[];
    }>
  | Readonly<{ type: 'UpdateFrontendModel'; id: FrontendModelId; fields: FrontendModelFields }>
  | Readonly<{ type: 'DeleteFrontendModel'; id: FrontendModelId }>
  | Readonly<{ type: 'AddDefaultTarget'; id: FrontendModelId; target: TargetInput }>
  | Readonly<{ type: 'RemoveDefaultTarget'; id: TargetId }>;

export function decideFrontendModel(state: ConfigState, command: FrontendModelCommand): Decision {
  if (command.type === 'CreateFrontendModel') return createFrontendModel(state, command);
  if (command.type === 'RemoveDefaultTarget') return removeDefault(state, command.id);
  const model = state.frontend_model.byId.get(command.id);
  if (model === undefined) return noFrontendModel(command.id);
  switch (command.type) {
    case 'UpdateFrontendModel':
      return updateFrontendModel(state, model, command.fields);
    case 'DeleteFrontendModel':
      // Jumps to it stay and no longer match (specification, "Jump destination").
      return [event(model, 'FrontendModelDeleted', {})];
    case 'AddDefaultTarget': {
      const targets = withTarget(state, model.defaultTargets, command.target);
      return isRefusal(targets) ? targets : [targetsSet(model.id, null, targets)];
    }
  }
}

type Of<Type extends FrontendModelCommand['type']> = Extract<FrontendModelCommand, { type: Type }>;
type OwnEvent = Extract<GwEvent, { type: `FrontendModel${string}` }>;

const event = <Type extends OwnEvent['type']>(
  { id }: Pick<FrontendModel, 'id'>,
  type: Type,
  data: Omit<Extract<OwnEvent, { type: Type }>['data'], 'id'>,
) => ({ stream: streamOf('frontend_model', id), type, data: { id, ...data } });

function createFrontendModel(state: ConfigState, command: Of<'CreateFrontendModel'>): Decision {
  const { name, description, maxModelLen } = command;
  const claimed = claimName(state, 'frontend_model', name);
  if (isRefusal(claimed)) return claimed;
  const id = frontendModelId.parse(state.frontend_model.lastId + 1);
  const rules = replacedRules(state, { id, name, rules: [] }, command.rules);
  if (isRefusal(rules)) return rules;
  const defaults = createdDefaults(state, rules, command.defaultTargets);
  if (isRefusal(defaults)) return defaults;
  return [
    ...claimed,
    event({ id }, 'FrontendModelCreated', { name, description, max_model_len: maxModelLen }),
    ...rules,
    ...(defaults.length === 0 ? [] : [targetsSet(id, null, defaults)]),
  ];
}

/** With the field names of a frontend model. */
const inDefaults: Place = (index) => `default_targets.${index}.`;

/** Their ids continue after those of the rules' targets. */
function createdDefaults(
  state: ConfigState,
  rules: readonly GwEvent[],
  given: readonly TargetInput[],
): FrontendModel['defaultTargets'] | Refusal {
  const nextId = targetIds(state);
  for (const { type, data } of rules) {
    if (type === 'FrontendModelRuleAdded') data.targets.forEach(nextId);
  }
  return targetList(state, { held: [], given, nextId, place: inDefaults });
}

function updateFrontendModel(
  state: ConfigState,
  model: FrontendModel,
  { name = model.name, description, maxModelLen, defaultTargets }: FrontendModelFields,
): Decision {
  const claimed = name === model.name ? [] : claimName(state, 'frontend_model', name);
  if (isRefusal(claimed)) return claimed;
  const fields = setFields('frontend_model', model, { name, description, maxModelLen });
  if (defaultTargets === undefined) return [...claimed, ...fields];
  const held = model.defaultTargets;
  const nextId = targetIds(state);
  const targets = targetList(state, { held, given: defaultTargets, nextId, place: inDefaults });
  if (isRefusal(targets)) return targets;
  const isSame = canonicalJson(targets) === canonicalJson(held);
  return [...claimed, ...fields, ...(isSame ? [] : [targetsSet(model.id, null, targets)])];
}

function removeDefault(state: ConfigState, id: TargetId): Decision {
  const isMeant = (target: { id: TargetId }): boolean => target.id === id;
  const model = [...state.frontend_model.byId.values()].find(({ defaultTargets }) =>
    defaultTargets.some(isMeant),
  );
  if (model === undefined) return refuse('absent', `default target ${id} does not exist`);
  const rest = model.defaultTargets.filter((target) => !isMeant(target));
  return [targetsSet(model.id, null, rest)];
}
