// Generates commands that repeatedly change all inputs of routing: rules, conditions, targets,
// pools, grants, budgets, prices and the fallback. Uses few names, so that most requests match
// several rules.

import * as fc from 'fast-check';

import type { Command } from '../../../src/deciders/decide.ts';
import type { TargetInput } from '../../../src/deciders/target.ts';
import { frontendModelId, modelId, poolId, principalId, providerId } from '../../../src/lib/ids.ts';
import { poolPolicy } from '../../../src/lib/vocabulary.ts';
import { endpointAt, plainName } from './examples.ts';

type Of<Type extends Command['type']> = fc.Arbitrary<Extract<Command, { type: Type }>>;

const nullable = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const from1 = (max: number) => fc.integer({ min: 1, max });

const models = ['a', 'b', 'c', 'd'];
const named = (name: string): TargetInput => ({
  modelId: null,
  poolId: null,
  name,
  position: null,
});
const grants = ['model/*', 'model/a', 'model/b', 'model/c'];

/**
 * Creates two providers, four models, two pools, two frontend models, classes, roles, and five
 * principals with these roles.
 */
export const changingPrelude: readonly Command[] = [
  { type: 'SeedLog', bootstrapName: plainName('bootstrap') },
  ...['one', 'two'].map((name): Command => ({
    type: 'CreateProvider',
    name,
    defaultName: name,
    kind: 'static',
    catalogueKey: null,
    endpoint: endpointAt(`https://${name}.example/v1`, {}),
    credential: null,
  })),
  ...models.flatMap((name, index): Command[] => [
    {
      type: 'CreateModel',
      name,
      fields: {
        inputPricePerMtok: index === 3 ? null : index * 1_000_000,
        outputPricePerMtok: index === 3 ? null : 2_000_000,
        contextLength: index === 0 ? 60 : null,
      },
    },
    {
      type: 'AttachBackend',
      id: modelId.parse(index + 1),
      target: { providerId: providerId.parse((index % 2) + 1) },
      upstreamModel: null,
      defaultMaxTokens: null,
    },
  ]),
  ...['g', 'h'].map((name): Command => ({
    type: 'CreatePool',
    name,
    fields: {
      members: models
        .slice(1)
        .map((member) => ({ modelId: null, name: member, weight: 1, position: null })),
    },
  })),
  ...['house', 'hall'].map((name): Command => ({
    type: 'CreateFrontendModel',
    name,
    description: null,
    maxModelLen: null,
    rules: [],
    defaultTargets: [named('a'), named('g')],
  })),
  ...grants.flatMap((resource, index): Command[] => [
    { type: 'CreateRole', name: `role-${index}`, description: null },
    { type: 'GrantPermission', role: `role-${index}`, verb: 'model:invoke', resource },
    {
      type: 'CreatePrincipal',
      name: plainName(`caller-${index}`),
      kind: 'service_account',
      emailRef: null,
    },
    { type: 'GrantRole', id: principalId.parse(index + 2), role: `role-${index}` },
  ]),
];

const target: fc.Arbitrary<TargetInput> = fc.constantFrom(...models, 'g', 'h').map(named);
const targets = fc.uniqueArray(target, {
  minLength: 1,
  maxLength: 3,
  selector: ({ name }) => name,
});
const principals = from1(5).map((id) => principalId.parse(id));
const house = from1(2).map((id) => frontendModelId.parse(id));

const condition = fc.oneof(
  fc.constant({}),
  fc.nat(100).map((min_prompt_tokens) => ({ min_prompt_tokens })),
  fc.nat(100).map((max_max_tokens) => ({ max_max_tokens })),
  fc.boolean().map((stream) => ({ stream })),
  principals.map((id) => ({ principals: [id] })),
  fc.constantFrom('role-0', 'role-1').map((role) => ({ roles: [role] })),
  fc.constantFrom('gold', 'iron', 'lead').map((value) => ({ headers: { 'x-tier': value } })),
  fc.constantFrom('gold', 'iron').map((value) => ({ headers: { 'x-team': value } })),
  fc.nat(100).map((min_budget_used_percent) => ({ min_budget_used_percent })),
  fc.nat(100).map((max_budget_used_percent) => ({ max_budget_used_percent })),
  fc.nat(5).map((max_inflight_per_backend) => ({ max_inflight_per_backend })),
  fc.nat(250).map((max_request_cost_micros) => ({ max_request_cost_micros })),
  fc.nat(1_439).map((after) => ({ after, utc_offset_minutes: 60 })),
  fc.nat(1_439).map((before) => ({ before })),
  fc.uniqueArray(from1(7), { minLength: 1, maxLength: 4 }).map((days) => ({ days })),
);
const conditions = fc.tuple(condition, condition).map((both) => Object.assign({}, ...both));

const tag = fc.option(fc.constantFrom('cheap', 'night'), { nil: undefined });
const enabled = fc.option(fc.constant(false), { nil: undefined });
const rule = fc.oneof(
  { weight: 4, arbitrary: fc.record({ conditions, targets, tag, enabled }) },
  fc.record({ conditions, action: fc.constant('deny' as const), deny_status: fc.constant(413) }),
  fc.record({ conditions, action: fc.constant('jump' as const), jump_to: house, tag }),
);

export const change: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('ReplaceRules'),
      frontendModelId: house,
      rules: fc.array(rule, { minLength: 1, maxLength: 6 }),
    }) satisfies Of<'ReplaceRules'>,
  },
  fc.record({
    type: fc.constant('UpdateFrontendModel'),
    id: house,
    fields: targets.map((defaultTargets) => ({ defaultTargets })),
  }) satisfies Of<'UpdateFrontendModel'>,
  fc.record({
    type: fc.constant('UpdatePool'),
    id: from1(2).map((id) => poolId.parse(id)),
    fields: fc.record({
      policy: nullable(fc.constantFrom(...poolPolicy.options)),
      members: fc.uniqueArray(
        fc.record({
          modelId: fc.constant(null),
          name: fc.constantFrom(...models),
          weight: fc.nat({ max: 9 }),
          position: fc.constant(null),
        }),
        { maxLength: 4, selector: ({ name }) => name },
      ),
    }),
  }) satisfies Of<'UpdatePool'>,
  fc.record({
    type: fc.constant('SetBudget'),
    id: principals,
    tokensTotal: from1(200),
    costTotalMicros: nullable(from1(200)),
    window: fc.constant(undefined),
    initialTokensUsed: fc.constant(0),
  }) satisfies Of<'SetBudget'>,
  fc.record({ type: fc.constant('ClearBudget'), id: principals }) satisfies Of<'ClearBudget'>,
  fc.record({
    type: fc.constantFrom('GrantRole', 'RevokeRole'),
    id: principals,
    role: fc.constantFrom('role-0', 'role-1', 'role-2', 'role-3'),
  }),
  fc.record({
    type: fc.constantFrom('GrantPermission', 'RevokePermission'),
    role: fc.constantFrom('role-1', 'role-2', 'role-3'),
    verb: fc.constant('model:invoke' as const),
    resource: fc.constantFrom(...grants),
  }),
  fc.record({
    type: fc.constant('UpdateModel'),
    id: from1(4).map((id) => modelId.parse(id)),
    fields: fc.record({
      inputPricePerMtok: nullable(fc.nat(4_000_000)),
      contextLength: nullable(from1(120)),
    }),
  }) satisfies Of<'UpdateModel'>,
  fc.record({
    type: fc.constant('SetFallbackModel'),
    modelId: nullable(from1(4).map((id) => modelId.parse(id))),
  }) satisfies Of<'SetFallbackModel'>,
);
