// Serves pools and their members (specification, "Frontend model, rule, target, pool").

import { z } from 'zod';

import type { PoolMember } from '../../../events/pool.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listPools } from '../../../projections/tables/pools.ts';
import type { PoolMemberRow, PoolRow } from '../../../projections/tables/pools.ts';
import type { CommandOf } from '../../control/commands/execute.ts';
import { membersMax, weightField } from '../../lib/amounts.ts';
import { descriptionField, modelNameField, referenceField } from '../../lib/fields.ts';
import { modelId, poolId, poolMemberId } from '../../lib/ids.ts';
import { poolPolicy } from '../../lib/vocabulary.ts';
import { idIn } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { byName } from '../lists/page.ts';
import { deleteRoute, recordRoutes } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';
import { orName, positionField } from './rule-input.ts';

/** The id is null if the model was deleted. The member is then unavailable and keeps the name. */
export const memberRecord = z.object({
  id: poolMemberId,
  provider_model_id: modelId.nullable(),
  model: z.string(),
  weight: z.int(),
  position: z.int(),
});

/** Null distributes by weight, with the same member for all requests of a conversation. */
const poolRecord = z.object({
  id: poolId,
  name: z.string(),
  description: z.string().nullable(),
  policy: poolPolicy.nullable(),
  members: z.array(memberRecord).readonly(),
});

const memberFields = z.strictObject({
  /** Accepted but ignored: a member keeps its id as long as it refers to the same model. */
  id: poolMemberId.optional(),
  provider_model_id: modelId.nullable().optional(),
  model: referenceField.optional(),
  weight: weightField.default(1),
  position: positionField.optional(),
});
const memberField = memberFields.transform(toMember);

function toMember(given: z.output<typeof memberFields>): CommandOf<'AddPoolMember'>['member'] {
  return {
    modelId: given.provider_model_id ?? null,
    name: given.model ?? null,
    weight: given.weight,
    position: given.position ?? null,
  };
}

const settable = {
  description: descriptionField.optional(),
  policy: poolPolicy.nullable().optional(),
  members: z.array(orName(memberField)).max(membersMax).optional(),
};

const config = { permission: 'config:write', query: none } as const;

export const poolRoutes = [
  ...recordRoutes({
    noun: 'pool',
    path: '/admin/model-pools',
    called: ['Pool', 'Pools'],
    summaries: {
      list: 'List pools with their members',
      one: 'Get a pool',
      create: 'Create a pool, optionally with members',
      change: 'Update a pool; null clears a field, members replaces the list',
      delete: 'Delete a pool that no target uses',
    },
    id: poolId,
    record: poolRecord,
    order: byName,
    rows: listPools,
    rowIn: poolRowIn,
    toBody: (rows) => rows,
    create: {
      body: z.strictObject({ name: modelNameField, ...settable }),
      event: 'PoolCreated',
      mutation: ({ name, ...fields }) => ({ command: { type: 'CreatePool', name, fields } }),
    },
    change: {
      body: z.strictObject({ name: modelNameField.optional(), ...settable }),
      mutation: ({ id, given: fields }) => ({ command: { type: 'UpdatePool', id, fields } }),
    },
    delete: { refusals: ['absent', 'conflict'], command: (id) => ({ type: 'DeletePool', id }) },
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/model-pools/{id}/members',
    operation: 'addPoolMember',
    summary: 'Add a provider model to a pool',
    refusals: ['absent', 'conflict'],
    params: idIn(poolId),
    body: memberField,
    response: memberRecord,
    handle: ({ params: { id }, body: member }, call) =>
      mutate(call, { command: { type: 'AddPoolMember', id, member } }, ({ state }) =>
        newMemberIn(state, id),
      ),
  }),
  deleteRoute({
    path: '/admin/model-pool-members/{id}',
    operation: 'removePoolMember',
    summary: 'Remove a provider model from a pool',
    id: poolMemberId,
    command: (id) => ({ type: 'RemovePoolMember', id }),
  }),
] as const;

function poolRowIn(state: ConfigState, id: number): PoolRow {
  const pool = written(state.pool, id);
  return { ...pool, members: pool.members.map((member) => memberRowIn(state, member)) };
}

export function memberRowIn(state: ConfigState, member: PoolMember): PoolMemberRow {
  const { id, model_id, gone_model, weight, position } = member;
  const model = state.model.byId.get(model_id ?? 0)?.name ?? gone_model;
  if (model === null) throw new Error(`pool member ${id} refers to no model`);
  return { id, provider_model_id: model_id, model, weight, position };
}

/** The newest member has the highest id. */
function newMemberIn(state: ConfigState, id: number): PoolMemberRow {
  const [newest] = written(state.pool, id).members.toSorted((a, b) => b.id - a.id);
  if (newest === undefined) throw new Error('the pool has no members after one was added');
  return memberRowIn(state, newest);
}
