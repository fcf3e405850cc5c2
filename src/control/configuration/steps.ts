// Turns the changes of a plan into steps, ordered so that each step finds the entities that it
// names. Assigns refs to secrets; only an event that refers to a secret stores it in the vault.

import { parseStream } from '../../../events/catalogue.ts';
import { placeOf } from '../../deciders/reconcile/records.ts';
import type { RecordChange, WantedRecord } from '../../deciders/reconcile/records.ts';
import { apiKeyId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ChangeKind } from '../../lib/vocabulary.ts';
import { importedRule, inOrder } from '../files/import-plan.ts';
import { makeKey, makePrincipal } from './callers.ts';
import { isListName, listNames, pool, promptClass, remoteLists, role, settings } from './format.ts';
import type { Declared, ListName } from './format.ts';
import type { Maker, PlanStep, Putting, StepSources } from './putting.ts';
import { makeModel, makeProvider, remoteMaker } from './serving.ts';
import { within } from './wanted.ts';
import { makeWebhook } from './webhook.ts';

type Put = RecordChange & Readonly<{ wanted: WantedRecord }>;

export function stepsOf(
  changes: readonly RecordChange[],
  sources: StepSources,
): readonly PlanStep[] | Refusal {
  const steps: PlanStep[] = [];
  const later: PlanStep[] = [];
  for (const put of putsIn(changes, sources.files)) {
    const { list } = put.wanted;
    const at = placeOf(put.wanted);
    const made = isListName(list) ? makers[list](puttingOf(put), sources) : { steps: [] };
    if (isRefusal(made)) return within(at, made);
    for (const step of made.steps) steps.push({ ...step, at });
    for (const step of made.later ?? []) later.push({ ...step, at });
  }
  return [...steps, ...later, ...removals(changes)];
}

/**
 * A rename runs before another resource takes the name. A prompt class comes after the class that
 * it refines.
 */
function putsIn(
  changes: readonly RecordChange[],
  { prompt_classes: classes = [] }: Declared,
): readonly Put[] {
  const places = new Map(inOrder(classes).map(({ name }, at) => [name, at]));
  const placeOfPut = ({ held, wanted }: Put): number =>
    wanted.list === 'prompt_classes' ? (places.get(wanted.key) ?? 0) : Number(held === null);
  const puts = changes.filter((change): change is Put => change.wanted !== null);
  return listNames.flatMap((list) => {
    const own = puts.filter(({ wanted }) => wanted.list === list);
    return own.toSorted((a, b) => placeOfPut(a) - placeOfPut(b));
  });
}

function puttingOf({ wanted, held, fields }: Put): Putting {
  const changed = new Set(fields.map(({ field }) => field));
  const changes = (field: string): boolean => held === null || changed.has(field);
  return {
    name: wanted.list === 'keys' ? wanted.name : wanted.key,
    at: wanted.at,
    id: held === null ? null : parseStream(held.stream).id,
    fields: wanted.fields,
    held: held?.shown ?? {},
    changes,
    set: (field, value) => (changes(field) ? value : undefined),
  };
}

/** Keys are revoked instead of deleted, so that lists still show them. */
function removals(changes: readonly RecordChange[]): readonly PlanStep[] {
  const gone = changes.flatMap(({ held, wanted }) =>
    wanted === null && held !== null ? held : [],
  );
  const keys = gone.filter(({ list }) => list === 'keys');
  const others = gone.filter(({ list }) => list !== 'keys').map(({ stream }) => stream);
  return [
    ...keys.map(({ name, stream }) => {
      const command = { type: 'RevokeApiKey', id: apiKeyId.parse(parseStream(stream).id) } as const;
      return { step: 'command', label: `key ${name}`, command } as const;
    }),
    ...(others.length === 0 ? [] : [{ step: 'remove', streams: others } as const]),
  ];
}

const makers: Readonly<Record<ListName, Maker>> = {
  providers: makeProvider,
  models: makeModel,
  pools: ({ name, id, fields, set }) => {
    const given = pool.parse({ ...fields, name });
    const members = set('members', given.members);
    const changed = { description: set('description', given.description ?? null), members };
    return { steps: [{ step: 'pool', id, name, ...changed, policy: set('policy', given.policy) }] };
  },
  prompt_classes: ({ name, id, fields, set }) => {
    const given = promptClass.parse({ ...fields, name });
    const own = {
      description: set('description', given.description ?? null),
      tier: set('tier', given.tier),
      minMargin: set('min_margin', given.min_margin),
      refines: set('refines', given.refines),
    };
    return { steps: [{ step: 'prompt_class', id, name, ...own, examples: [] }] };
  },
  frontend_models: ({ name, id, at, set, changes }, { files, principalNamed }) => {
    const { description, max_model_len, rules, default_targets } =
      files.frontend_models?.[at] ?? {};
    const step = {
      step: 'frontend_model',
      id,
      name,
      description: set('description', description ?? null),
      maxModelLen: set('max_model_len', max_model_len ?? null),
      defaultTargets: set('default_targets', default_targets ?? []),
    } as const;
    const given = (rules ?? []).map((one) => importedRule(one, principalNamed));
    const listed = { step: 'rules', frontendModel: name, rules: given } as const;
    return { steps: [step], later: changes('rules') ? [listed] : [] };
  },
  roles: ({ name, id, fields, set }) => {
    const given = role.parse({ ...fields, name });
    const description = set('description', given.description ?? null);
    const permissions = set('permissions', given.permissions);
    return { steps: [{ step: 'role', id, name, description, permissions }] };
  },
  principals: makePrincipal,
  keys: makeKey,
  ...remoteLists(remoteMaker),
  webhooks: makeWebhook,
  settings: ({ fields, changes }) => {
    const { fallback_model: model = null, change_policy: kinds = [] } = settings.parse(fields);
    return {
      steps: changes('fallback_model') ? [{ step: 'fallback', model }] : [],
      later: changes('change_policy') ? [policyStep(kinds)] : [],
    };
  },
};

const policyStep = (kinds: readonly ChangeKind[]): PlanStep => ({
  step: 'command',
  label: 'change_policy',
  command: { type: 'SetChangePolicy', kinds },
});
