// Decides commands on pools and their members (specification, "Frontend model, rule, target,
// pool").

import { membersMax } from '../lib/amounts.ts';
import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { PoolMember } from '../../events/pool.ts';
import type { Pool } from '../../projections/config/pool.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { poolId, poolMemberId } from '../lib/ids.ts';
import type { ModelId, PoolId, PoolMemberId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { listed } from '../lib/text.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import type { Decision } from './decision.ts';
import { claimName } from './model-name.ts';
import { targetsIn } from './model-reference.ts';
import { positionsOf, refuseTooMany, within } from './part-list.ts';
import type { Place } from './part-list.ts';
import { setFields } from './set-fields.ts';
import { refuseReference } from './target.ts';

/** Without a position it follows the previous member. */
export type MemberInput = Readonly<{
  modelId: ModelId | null;
  name: string | null;
  weight: number;
  position: number | null;
}>;

/** Undefined members stay unchanged; null clears. */
export type PoolFields = Readonly<{
  name?: string | undefined;
  description?: string | null | undefined;
  policy?: PoolPolicy | null | undefined;
  members?: readonly MemberInput[] | undefined;
}>;

export type PoolCommand =
  | Readonly<{ type: 'CreatePool'; name: string; fields: PoolFields }>
  | Readonly<{ type: 'UpdatePool'; id: PoolId; fields: PoolFields }>
  | Readonly<{ type: 'DeletePool'; id: PoolId }>
  | Readonly<{ type: 'AddPoolMember'; id: PoolId; member: MemberInput }>
  | Readonly<{ type: 'RemovePoolMember'; id: PoolMemberId }>;

export function decidePool(state: ConfigState, command: PoolCommand): Decision {
  if (command.type === 'CreatePool') return createPool(state, command);
  if (command.type === 'RemovePoolMember') return removeMember(state, command.id);
  const pool = state.pool.byId.get(command.id);
  if (pool === undefined) return noPool(command.id);
  switch (command.type) {
    case 'UpdatePool':
      return updatePool(state, pool, command.fields);
    case 'DeletePool':
      return deletePool(state, pool);
    case 'AddPoolMember': {
      const given = [...pool.members.map(asInput), command.member];
      const members = memberList(state, { held: pool.members, given, place: () => '' });
      return isRefusal(members) ? members : [event(pool, 'PoolMembersSet', { members })];
    }
  }
}

export const noPool = (id: number): Refusal => refuse('absent', `pool ${id} does not exist`);

type Of<Type extends PoolCommand['type']> = Extract<PoolCommand, { type: Type }>;
type PoolEventType = Extract<GwEvent, { type: `Pool${string}` }>;

const event = <Type extends PoolEventType['type']>(
  { id }: Pick<Pool, 'id'>,
  type: Type,
  data: Omit<Extract<PoolEventType, { type: Type }>['data'], 'id'>,
) => ({ stream: streamOf('pool', id), type, data: { id, ...data } });

function createPool(state: ConfigState, { name, fields }: Of<'CreatePool'>): Decision {
  const claimed = claimName(state, 'pool', name);
  if (isRefusal(claimed)) return claimed;
  const id = poolId.parse(state.pool.lastId + 1);
  const members = memberList(state, { held: [], given: fields.members ?? [] });
  if (isRefusal(members)) return members;
  const created = { name, description: fields.description ?? null, policy: fields.policy ?? null };
  return [
    ...claimed,
    event({ id }, 'PoolCreated', created),
    ...(members.length === 0 ? [] : [event({ id }, 'PoolMembersSet', { members })]),
  ];
}

function updatePool(state: ConfigState, pool: Pool, fields: PoolFields): Decision {
  const { name = pool.name, description, policy, members: given } = fields;
  const claimed = name === pool.name ? [] : claimName(state, 'pool', name);
  if (isRefusal(claimed)) return claimed;
  const members = given && memberList(state, { held: pool.members, given });
  if (isRefusal(members)) return members;
  return [...claimed, ...setFields('pool', pool, { name, description, policy, members })];
}

/** Rejects the deletion of a pool that a target uses, and names the users. */
function deletePool(state: ConfigState, pool: Pool): Decision {
  const users = [...state.frontend_model.byId.values()].filter((model) =>
    targetsIn(model).some(({ pool_id }) => pool_id === pool.id),
  );
  if (users.length === 0) return [event(pool, 'PoolDeleted', {})];
  const names = listed(users.map(({ name }) => name));
  return refuse('conflict', `pool ${pool.name} is a target of ${names}`);
}

function removeMember(state: ConfigState, id: PoolMemberId): Decision {
  const isMeant = (member: PoolMember): boolean => member.id === id;
  const pool = [...state.pool.byId.values()].find(({ members }) => members.some(isMeant));
  if (pool === undefined) return refuse('absent', `pool member ${id} does not exist`);
  const members = pool.members.filter((member) => !isMeant(member));
  return [event(pool, 'PoolMembersSet', { members })];
}

type Asked = Readonly<{
  held: readonly PoolMember[];
  given: readonly MemberInput[];
  place?: Place;
}>;

const inList: Place = (index) => `members.${index}.`;

/** Sorted by position. A member keeps its id if a current member has the same model. */
function memberList(
  state: ConfigState,
  { held, given, place = inList }: Asked,
): readonly PoolMember[] | Refusal {
  const tooMany = refuseTooMany('members', given.length, membersMax);
  if (tooMany !== null) return tooMany;
  const positions = positionsOf(
    given.map(({ position }) => position),
    place,
  );
  if (isRefusal(positions)) return positions;
  let lastId = state.pool.lastParts['member'] ?? 0;
  const members: PoolMember[] = [];
  for (const [index, input] of given.entries()) {
    const ref = refOf(state, input, held);
    if (isRefusal(ref)) return within(place(index), ref);
    if (members.some(isSame(ref))) return within(place(index), repeated(input));
    const id = held.find(isSame(ref))?.id ?? poolMemberId.parse((lastId += 1));
    const position = positions[index] ?? index;
    members.push({ id, ...ref, weight: input.weight, position });
  }
  return members.toSorted((a, b) => a.position - b.position);
}

const asInput = ({ model_id, gone_model, weight, position }: PoolMember): MemberInput => ({
  modelId: model_id,
  name: gone_model,
  weight,
  position,
});

type Ref = Pick<PoolMember, 'model_id' | 'gone_model'>;

const isSame =
  (ref: Ref) =>
  (member: Ref): boolean =>
    member.model_id === ref.model_id && member.gone_model === ref.gone_model;

const repeated = ({ name, modelId }: MemberInput): Refusal =>
  refuse('conflict', `model ${name ?? modelId} is already a member`, { param: 'model' });

function refOf(
  state: ConfigState,
  { modelId, name }: MemberInput,
  held: readonly PoolMember[],
): Ref | Refusal {
  if (modelId !== null) {
    const refusal = refuseReference(state.model, { field: 'provider_model_id', id: modelId, name });
    return refusal ?? { model_id: modelId, gone_model: null };
  }
  if (name === null) {
    return refuse('invalid', 'model or provider_model_id is needed', { param: 'model' });
  }
  const model = [...state.model.byId.values()].find((one) => one.name === name);
  if (model !== undefined) return { model_id: model.id, gone_model: null };
  // Accepts a deleted model by the name that lists show.
  if (held.some(({ gone_model }) => gone_model === name)) {
    return { model_id: null, gone_model: name };
  }
  return refuse('invalid', `model ${name} is not a provider model`, { param: 'model' });
}
