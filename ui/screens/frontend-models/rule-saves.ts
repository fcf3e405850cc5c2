// What can be done to the rules of a frontend model, each as a save. A rule is named as x-gw-route names it: by its place.

import type { FrontendModel, Rule } from '../../api/frontend-models.ts';
import { createRule, deleteRule, replaceRules, updateRule } from '../../api/rules.ts';
import { recordBody } from '../../lib/rule-body.ts';
import type { RuleBody } from '../../lib/rule-body.ts';
import { orderBody } from '../../lib/rule-order.ts';
import { ruleTitle } from '../../lib/rule-text.ts';
import type { Save } from '../../lib/save.ts';

export type Names = Readonly<{
  principal: (id: number) => string;
  frontendModel: (id: number) => string;
}>;

/** As a person reads it. */
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

/** Its calls name the rule, the log its owner. */
const streamOf = ({ id }: FrontendModel): string => `frontend_model-${id}`;

type Added = Readonly<{ body: Partial<RuleBody>; /** In the order of evaluation. */ at: number }>;

export function ruleCreation(owner: FrontendModel, { body, at }: Added, names: Names): Save {
  const isLast = at >= owner.rules.length;
  const others: readonly object[] = orderBody(owner.rules).rules;
  return {
    heading: `Add rule:${at} to ${owner.name}`,
    verb: 'Publish rule',
    done: `Rule added to ${owner.name}`,
    before: {},
    after: shown(body, names),
    opens: () => [owner.id],
    sendsWhole: !isLast,
    run: (change) => {
      const held = { version: owner.version, ...change };
      if (isLast) return createRule(owner.id, body, held);
      return replaceRules(owner.id, { rules: others.toSpliced(at, 0, body) }, held);
    },
  };
}

type Placed = Readonly<{ rule: Rule; at: number }>;

export const ruleUpdate = (
  owner: FrontendModel,
  { rule, at }: Placed,
  { body, names }: Readonly<{ body: Partial<RuleBody>; names: Names }>,
): Save => ({
  heading: `Change rule:${at} of ${owner.name}`,
  verb: 'Publish change',
  done: `rule:${at} of ${owner.name} changed`,
  before: shown(recordBody(rule), names),
  after: shown(body, names),
  opens: () => [owner.id],
  stream: streamOf(owner),
  run: (change) => updateRule(rule.id, body, { version: owner.version, ...change }),
});

export const ruleDeletion = (owner: FrontendModel, { rule, at }: Placed, names: Names): Save => ({
  heading: `Delete rule:${at} of ${owner.name}`,
  verb: 'Delete rule',
  done: `Rule of ${owner.name} deleted`,
  before: { [`rule:${at}`]: ruleTitle(rule, names) },
  after: { [`rule:${at}`]: null },
  danger: true,
  name: `rule:${at}`,
  opens: () => [owner.id],
  stream: streamOf(owner),
  run: (change) => deleteRule(rule.id, { version: owner.version, ...change }),
});

const titles = (rules: readonly Rule[], names: Names) =>
  Object.fromEntries(rules.map((rule, index) => [`rule:${index}`, ruleTitle(rule, names)]));

export const orderSave = (owner: FrontendModel, rules: readonly Rule[], names: Names): Save => ({
  heading: `Order the rules of ${owner.name}`,
  verb: 'Publish order',
  done: `Rules of ${owner.name} reordered`,
  before: titles(owner.rules, names),
  after: titles(rules, names),
  opens: () => [owner.id],
  sendsWhole: true,
  run: (change) => replaceRules(owner.id, orderBody(rules), { version: owner.version, ...change }),
});
