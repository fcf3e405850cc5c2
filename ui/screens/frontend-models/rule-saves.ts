// Builds the saves of rules.

import { call, calling } from '../../api/http/call.ts';
import type { FrontendModel, Rule } from '../../api/records.ts';
import { recordBody } from '../../lib/routing/rule-body.ts';
import type { RuleBody } from '../../lib/routing/rule-body.ts';
import { orderBody } from '../../lib/routing/rule-order.ts';
import { ruleName } from '../../lib/routing/rule-name.ts';
import { ruleTitle } from '../../lib/routing/rule-text.ts';
import { seen } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

export type Names = Readonly<{
  principal: (id: number) => string;
  frontendModel: (id: number) => string;
}>;

/** With names instead of ids. */
const shown = (body: Partial<RuleBody>, names: Names) =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, shownValue(field, value, names)]),
  );

function shownValue(field: string, value: unknown, names: Names): unknown {
  if (field === 'principals' && Array.isArray(value)) {
    return value.map((id) => names.principal(Number(id)));
  }
  return field === 'jump_to' && typeof value === 'number' ? names.frontendModel(value) : value;
}

/** API paths name the rule; the log names its frontend model. */
const streamOf = ({ id }: FrontendModel): string => `frontend_model-${id}`;

type Added = Readonly<{
  body: Partial<RuleBody>;
  /** Position in the order of evaluation. */ at: number;
}>;

export function ruleCreation(owner: FrontendModel, { body, at }: Added, names: Names): Save {
  const isLast = at >= owner.rules.length;
  const others: readonly object[] = orderBody(owner.rules).rules;
  return {
    heading: `Create rule${(body.name ?? '') === '' ? '' : ` ${body.name}`} in ${owner.name}`,
    verb: 'Create rule',
    done: `Rule created in ${owner.name}`,
    before: {},
    after: shown(body, names),
    opens: () => [owner.id],
    sendsWhole: !isLast,
    run: (change) => {
      const held = { version: owner.version, ...change };
      if (isLast)
        return call('POST', '/admin/frontend-models/{id}/rules', {
          params: { id: owner.id },
          body,
          ...held,
        });
      return call('PUT', '/admin/frontend-models/{id}/rules', {
        params: { id: owner.id },
        body: { rules: others.toSpliced(at, 0, body) },
        ...held,
      });
    },
  };
}

export const ruleUpdate = (
  owner: FrontendModel,
  rule: Rule,
  { body, names }: Readonly<{ body: Partial<RuleBody>; names: Names }>,
): Save => ({
  heading: `Edit ${ruleName(rule)} of ${owner.name}`,
  verb: 'Save changes',
  done: `${ruleName(rule)} of ${owner.name} updated`,
  before: shown(recordBody(rule), names),
  after: shown(body, names),
  opens: () => [owner.id],
  stream: streamOf(owner),
  run: calling('PATCH', '/admin/rules/{id}', {
    params: { id: rule.id },
    body,
    version: owner.version,
  }),
});

export const ruleSwitch = (owner: FrontendModel, rule: Rule): Save => {
  const [verb, done] = rule.enabled ? ['Disable', 'disabled'] : ['Enable', 'enabled'];
  return {
    heading: `${verb} ${ruleName(rule)} of ${owner.name}`,
    verb: `${verb} rule`,
    done: `${ruleName(rule)} of ${owner.name} ${done}`,
    before: { enabled: rule.enabled },
    after: { enabled: !rule.enabled },
    opens: () => [owner.id],
    stream: streamOf(owner),
    run: calling('PATCH', '/admin/rules/{id}', {
      params: { id: rule.id },
      body: { enabled: !rule.enabled },
      version: owner.version,
    }),
  };
};

export const ruleDeletion = (owner: FrontendModel, rule: Rule, names: Names): Save => ({
  heading: `Delete ${ruleName(rule)} of ${owner.name}`,
  verb: 'Delete rule',
  done: `${ruleName(rule)} of ${owner.name} deleted`,
  before: { rule: ruleTitle(rule, names) },
  after: { rule: null },
  danger: true,
  name: ruleName(rule),
  opens: () => [owner.id],
  stream: streamOf(owner),
  run: calling('DELETE', '/admin/rules/{id}', { params: { id: rule.id }, version: owner.version }),
});

const titles = (rules: readonly Rule[], names: Names) =>
  Object.fromEntries(
    rules.map((rule, index) => [
      `Position ${index + 1}`,
      `${ruleName(rule)}: ${ruleTitle(rule, names)}`,
    ]),
  );

export const orderSave = (owner: FrontendModel, rules: readonly Rule[], names: Names): Save => ({
  heading: `Reorder rules of ${owner.name}`,
  verb: 'Save order',
  done: `Rules of ${owner.name} reordered`,
  before: titles(owner.rules, names),
  after: titles(rules, names),
  opens: () => [owner.id],
  sendsWhole: true,
  run: calling('PUT', '/admin/frontend-models/{id}/rules', {
    ...seen(owner),
    body: orderBody(rules),
  }),
});
