// Reads a part of an entity by its id: a rule, target, pool member, backend or example. The record
// names its owner, whose version is the ETag.

import type { z } from 'zod';

import { ruleWithId } from '../../../projections/config/find.ts';
import type { FrontendModel } from '../../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { frontendModelId, modelId, poolId, poolMemberId, ruleId, targetId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import { asOfQuery } from '../http/as-of.ts';
import { idIn } from '../http/fields.ts';
import { backendRecord, backendRecordIn } from '../providers/model-record.ts';
import { answerOne } from '../lists/page.ts';
import { memberRecord, memberRowIn } from './pools.ts';
import { exampleParams, exampleRecord, exampleRecordOf } from './prompt-class-record.ts';
import { none, route } from '../http/route.ts';
import { ownedRule, ownedRuleIn, targetRecord, targetRowIn } from './rule-record.ts';

const ruleTarget = targetRecord.extend({ rule_id: ruleId });
const defaultTarget = targetRecord.extend({ frontend_model_id: frontendModelId });
const poolMember = memberRecord.extend({ model_pool_id: poolId });

type PartParams = z.ZodType<Readonly<{ id: number; example_id?: number }>>;

type Part<Path extends string, Params extends PartParams, Response extends z.ZodType> = Readonly<{
  path: Path;
  operation: string;
  /** In messages, in lower case. */
  noun: string;
  params: Params;
  response: Response;
  /** Null if this configuration does not contain the part. */
  find: (state: ConfigState, params: z.output<Params>) => (z.input<Response> & object) | null;
}>;

const partRoute = <
  const Path extends string,
  Params extends PartParams,
  Response extends z.ZodType<object, object>,
>({
  noun,
  find,
  ...part
}: Part<Path, Params, Response>) =>
  route({
    ...part,
    method: 'GET',
    permission: 'usage:read',
    summary: `One ${noun}`,
    refusals: ['absent'],
    query: asOfQuery,
    body: none,
    handle: ({ params, query }, call) =>
      answerOne(call, query, {
        rowIn: (state) => find(state, params),
        toBody: (rows) => rows,
        absent: refuse('absent', `${noun} ${params.example_id ?? params.id} does not exist`),
      }),
  });

type Owner<Id, One> = Readonly<{ id: Id; parts: readonly One[] }>;

/** Also returns the id of the owner. */
function partOf<Id, One extends Readonly<{ id: number }>>(
  owners: readonly Owner<Id, One>[],
  id: number,
): Readonly<{ owner: Id; part: One }> | null {
  for (const { id: owner, parts } of owners) {
    const part = parts.find((one) => one.id === id);
    if (part !== undefined) return { owner, part };
  }
  return null;
}

const modelsIn = ({ frontend_model }: ConfigState): readonly FrontendModel[] => [
  ...frontend_model.byId.values(),
];

export const partRoutes = [
  partRoute({
    path: '/admin/rules/{id}',
    operation: 'getRule',
    noun: 'rule',
    params: idIn(ruleId),
    response: ownedRule,
    find: (state, { id }) => {
      const found = ruleWithId(state, id);
      return found === null ? null : ownedRuleIn(state, found);
    },
  }),
  partRoute({
    path: '/admin/rule-targets/{id}',
    operation: 'getRuleTarget',
    noun: 'rule target',
    params: idIn(targetId),
    response: ruleTarget,
    find: (state, { id }) => {
      const rules = modelsIn(state).flatMap((model) => model.rules);
      const found = partOf(
        rules.map((rule) => ({ id: rule.id, parts: rule.targets })),
        id,
      );
      return found === null ? null : { ...targetRowIn(state, found.part), rule_id: found.owner };
    },
  }),
  partRoute({
    path: '/admin/frontend-model-defaults/{id}',
    operation: 'getDefaultTarget',
    noun: 'default target',
    params: idIn(targetId),
    response: defaultTarget,
    find: (state, { id }) => {
      const owners = modelsIn(state).map((model) => ({
        id: model.id,
        parts: model.defaultTargets,
      }));
      const found = partOf(owners, id);
      return found === null
        ? null
        : { ...targetRowIn(state, found.part), frontend_model_id: found.owner };
    },
  }),
  partRoute({
    path: '/admin/model-pool-members/{id}',
    operation: 'getPoolMember',
    noun: 'pool member',
    params: idIn(poolMemberId),
    response: poolMember,
    find: (state, { id }) => {
      const pools = [...state.pool.byId.values()];
      const found = partOf(
        pools.map((pool) => ({ id: pool.id, parts: pool.members })),
        id,
      );
      return found === null
        ? null
        : { ...memberRowIn(state, found.part), model_pool_id: found.owner };
    },
  }),
  partRoute({
    path: '/admin/backends/{id}',
    operation: 'getBackend',
    noun: 'backend',
    params: idIn(modelId),
    response: backendRecord,
    find: (state, { id }) =>
      (state.model.byId.get(id)?.backend ?? null) === null ? null : backendRecordIn(state, id),
  }),
  partRoute({
    path: '/admin/prompt-classes/{id}/examples/{example_id}',
    operation: 'getPromptExample',
    noun: 'prompt example',
    params: exampleParams,
    response: exampleRecord,
    find: (state, { id, example_id: exampleId }) => {
      const examples = state.prompt_class.byId.get(id)?.examples ?? [];
      const found = examples.find((example) => example.id === exampleId);
      return found === undefined ? null : exampleRecordOf(id, found);
    },
  }),
] as const;
