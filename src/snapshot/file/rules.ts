// Converts the frontend models of a configuration file to the snapshot's form: names in rules
// become ids.

import { noConditions, withGiven } from '../../conditions/values.ts';
import { denyStatusDefault } from '../../lib/fields.ts';
import type { PlannedFrontendModel } from './layout.ts';
import type { FileRule } from './records.ts';

type Ids = ReadonlyMap<string, number>;

export type RuleIds = Readonly<{
  models: Ids;
  pools: Ids;
  frontendModels: Ids;
  promptClasses: Ids;
  roles: Ids;
  principals: Ids;
}>;

/** The snapshot schema validates the result. Unknown names are added to `errors`. */
export function ruleMembers(
  frontendModels: readonly PlannedFrontendModel[],
  ids: RuleIds,
  errors: string[],
) {
  let ruleId = 0;
  const members = frontendModels.map(({ name, maxModelLen, rules, defaultTargets }, index) => ({
    id: index + 1,
    name,
    max_model_len: maxModelLen,
    rules: rules.flatMap((rule, position) => {
      ruleId += 1;
      const find = finder(`frontend model ${name}, rule ${position}`, errors);
      const member = { id: ruleId, position, ...ruleMember(rule, ids, find) };
      return rule.enabled ? [member] : [];
    }),
    default_targets: defaultTargets.map((target) => targetMember(target, ids)),
  }));
  for (const loop of loopsOf(frontendModels)) errors.push(`the jumps ${loop} close a loop`);
  return members;
}

type Find = (field: string, names: readonly string[], ids: Ids) => readonly number[];

const finder =
  (where: string, errors: string[]): Find =>
  (field, names, ids) =>
    names.flatMap((name) => {
      const id = ids.get(name);
      if (id === undefined) errors.push(`${where}: ${field} ${name} does not exist`);
      return id ?? [];
    });

const targetMember = (target: string, { models, pools }: RuleIds) => ({
  model_id: models.get(target) ?? null,
  pool_id: pools.get(target) ?? null,
});

function ruleMember(rule: FileRule, ids: RuleIds, find: Find) {
  const one = (field: string, name: string | null | undefined, among: Ids): number | null =>
    (name ? find(field, [name], among) : [])[0] ?? null;
  return {
    action: rule.action,
    conditions: {
      ...withGiven(noConditions, rule),
      principals: find('principals', rule.principals, ids.principals),
      roles: find('roles', rule.roles, ids.roles),
      class: one('class', rule.class, ids.promptClasses),
    },
    targets: rule.targets.map((target) => targetMember(target, ids)),
    deny_status: rule.deny_status ?? (rule.action === 'deny' ? denyStatusDefault : null),
    deny_message: rule.deny_message ?? null,
    jump_to: one('jump_to', rule.jump_to, ids.frontendModels),
    tag: rule.tag ?? null,
  };
}

/** Each cycle as `a > b > a`. */
function loopsOf(frontendModels: readonly PlannedFrontendModel[]): readonly string[] {
  const jumps = new Map(
    frontendModels.map(({ name, rules }) => [name, rules.flatMap(({ jump_to: to }) => to ?? [])]),
  );
  const done = new Set<string>();
  const loops: string[] = [];
  const walk = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) {
      loops.push([...above.slice(above.indexOf(name)), name].join(' > '));
      return;
    }
    if (done.has(name)) return;
    done.add(name);
    for (const next of jumps.get(name) ?? []) walk(next, [...above, name]);
  };
  for (const name of jumps.keys()) walk(name, []);
  return loops;
}
