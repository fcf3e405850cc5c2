// Generates random commands on frontend models, rules and pools. Uses few names and ids, like
// commands.ts.

import * as fc from 'fast-check';

import type { Command } from '../../../src/deciders/decide.ts';
import type { MemberInput } from '../../../src/deciders/pool.ts';
import type { ListedRule, RuleFields } from '../../../src/deciders/rule.ts';
import type { TargetInput } from '../../../src/deciders/target.ts';
import {
  frontendModelId,
  modelId,
  poolId,
  poolMemberId,
  principalId,
  ruleId,
  targetId,
} from '../../../src/lib/ids.ts';
import type { RuleId } from '../../../src/lib/ids.ts';
import { poolPolicy, ruleAction } from '../../../src/lib/vocabulary.ts';

type Of<Type extends Command['type']> = fc.Arbitrary<Extract<Command, { type: Type }>>;

const number = fc.integer({ min: 1, max: 5 });
/** Rules and targets are many, so their ids cover a wider range. */
const part = fc.integer({ min: 1, max: 20 });
/**
 * Shared with provider models, so that names clash and references become missing and are found
 * again.
 */
const text = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });
const nullable = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const frontendModel = number.map((id) => frontendModelId.parse(id));
const pool = number.map((id) => poolId.parse(id));
const rule = fc.oneof(number, part).map((id) => ruleId.parse(id));
const position = fc.nat({ max: 3 });

const unplaced = { modelId: null, poolId: null, name: null, position: null } as const;
const target: fc.Arbitrary<TargetInput> = fc.oneof(
  fc.record({
    modelId: fc.constant(null),
    poolId: fc.constant(null),
    name: text,
    position: nullable(position),
  }),
  number.map((id) => ({ ...unplaced, modelId: modelId.parse(id) })),
  pool.map((poolId) => ({ ...unplaced, poolId })),
);
const targets = fc.array(target, { maxLength: 3 });

const conditions = fc.record(
  {
    principals: nullable(
      fc.array(
        number.map((id) => principalId.parse(id)),
        { maxLength: 2 },
      ),
    ),
    roles: nullable(fc.array(fc.constantFrom('inference', 'a', 'b'), { maxLength: 2 })),
    min_prompt_tokens: nullable(number),
    max_prompt_tokens: nullable(number),
    stream: nullable(fc.boolean()),
    headers: nullable(fc.constant({ 'x-tier': 'gold' })),
    after_minute: nullable(fc.constant(540)),
    days: nullable(fc.array(number, { maxLength: 3 })),
    utc_offset_minutes: nullable(fc.constant(60)),
  },
  { requiredKeys: [] },
);

const fields: fc.Arbitrary<RuleFields & { position?: number }> = fc.record(
  {
    conditions,
    position,
    action: fc.constantFrom(...ruleAction.options),
    targets,
    deny_status: nullable(fc.constantFrom(403, 413)),
    deny_message: nullable(text),
    jump_to: nullable(frontendModel),
    tag: nullable(text),
    name: nullable(text),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['conditions'] },
);
/** Most rules with random fields are contradictory; these are not. */
const jump: fc.Arbitrary<RuleFields> = frontendModel.map((jump_to) => ({
  action: 'jump',
  jump_to,
  conditions: {},
}));
const route: fc.Arbitrary<RuleFields> = targets.map((list) => ({ targets: list, conditions: {} }));
const tagged: fc.Arbitrary<RuleFields> = text.map((tag) => ({ tag, conditions: {} }));
const ruleFields = fc.oneof(fields, jump, route, tagged);
const withId = (listed: RuleFields, id: RuleId): ListedRule => ({ ...listed, id });
const listedRule = fc
  .tuple(optional(rule), ruleFields)
  .map(([id, listed]) => (id === undefined ? listed : withId(listed, id)));
const rules = fc.array(listedRule, { maxLength: 3 });

const createFrontendModel = (
  given: Readonly<{ rules: typeof rules; defaultTargets: typeof targets }>,
): Of<'CreateFrontendModel'> =>
  fc.record({
    type: fc.constant('CreateFrontendModel'),
    name: text,
    description: nullable(text),
    maxModelLen: nullable(number),
    ...given,
  });
/** Repeated below, because most creations with more fields are refused. */
const bareFrontendModel = createFrontendModel({
  rules: fc.constant([]),
  defaultTargets: fc.constant([]),
});

const member: fc.Arbitrary<MemberInput> = fc.record({
  modelId: fc.constant(null),
  name: text,
  weight: number,
  position: nullable(position),
});

export const routingCommands = [
  createFrontendModel({ rules, defaultTargets: targets }),
  ...Array.from({ length: 4 }, () => bareFrontendModel),
  fc.record({
    type: fc.constant('UpdateFrontendModel'),
    id: frontendModel,
    fields: fc.record(
      {
        name: text,
        description: nullable(text),
        maxModelLen: nullable(number),
        defaultTargets: targets,
      },
      { requiredKeys: [] },
    ),
  }) satisfies Of<'UpdateFrontendModel'>,
  fc.record({
    type: fc.constant('DeleteFrontendModel'),
    id: frontendModel,
  }) satisfies Of<'DeleteFrontendModel'>,
  fc.record({
    type: fc.constant('AddDefaultTarget'),
    id: frontendModel,
    target,
  }) satisfies Of<'AddDefaultTarget'>,
  fc.record({
    type: fc.constant('RemoveDefaultTarget'),
    id: part.map((id) => targetId.parse(id)),
  }) satisfies Of<'RemoveDefaultTarget'>,
  ...[fields, jump, route].map(
    (given) =>
      fc.record({
        type: fc.constant('AddRule'),
        frontendModelId: frontendModel,
        rule: given,
      }) satisfies Of<'AddRule'>,
  ),
  fc.record({
    type: fc.constant('UpdateRule'),
    id: rule,
    rule: ruleFields,
  }) satisfies Of<'UpdateRule'>,
  fc.record({ type: fc.constant('RemoveRule'), id: rule }) satisfies Of<'RemoveRule'>,
  fc.record({
    type: fc.constant('ReplaceRules'),
    frontendModelId: frontendModel,
    rules,
  }) satisfies Of<'ReplaceRules'>,
  fc.record({
    type: fc.constant('AddRuleTarget'),
    ruleId: rule,
    target,
  }) satisfies Of<'AddRuleTarget'>,
  fc.record({
    type: fc.constant('RemoveRuleTarget'),
    id: part.map((id) => targetId.parse(id)),
  }) satisfies Of<'RemoveRuleTarget'>,
];

const barePool: Of<'CreatePool'> = text.map((name) => ({ type: 'CreatePool', name, fields: {} }));

export const poolCommands = [
  barePool,
  barePool,
  fc.record({
    type: fc.constant('CreatePool'),
    name: text,
    fields: fc.record(
      {
        description: nullable(text),
        policy: nullable(fc.constantFrom(...poolPolicy.options)),
        members: fc.array(member, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  }) satisfies Of<'CreatePool'>,
  fc.record({
    type: fc.constant('UpdatePool'),
    id: pool,
    fields: fc.record(
      {
        name: text,
        description: nullable(text),
        policy: nullable(fc.constantFrom(...poolPolicy.options)),
        members: fc.array(member, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  }) satisfies Of<'UpdatePool'>,
  fc.record({ type: fc.constant('DeletePool'), id: pool }) satisfies Of<'DeletePool'>,
  fc.record({
    type: fc.constant('AddPoolMember'),
    id: pool,
    member,
  }) satisfies Of<'AddPoolMember'>,
  fc.record({
    type: fc.constant('RemovePoolMember'),
    id: part.map((id) => poolMemberId.parse(id)),
  }) satisfies Of<'RemovePoolMember'>,
];

const named = (name: string): TargetInput => ({ ...unplaced, name });

/**
 * Creates models, frontend models, a rule with targets, a pool with a member, and a model that was
 * deleted and created again while both referred to it.
 */
export const routingPrelude: readonly Command[] = [
  { type: 'CreateModel', name: 'a', fields: {} },
  { type: 'CreateModel', name: 'b', fields: {} },
  {
    type: 'CreatePool',
    name: 'g',
    fields: { members: [{ modelId: null, name: 'a', weight: 1, position: null }] },
  },
  ...['c', 'd', 'e', 'f'].map((name): Command => ({
    type: 'CreateFrontendModel',
    name,
    description: null,
    maxModelLen: null,
    rules: [{ targets: [named('a'), named('g')], conditions: {} }],
    defaultTargets: [named('b')],
  })),
  { type: 'DeleteModel', id: modelId.parse(1) },
  { type: 'CreateModel', name: 'a', fields: {} },
];
