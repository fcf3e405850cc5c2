// Lists who may call what in a state: each principal with each model that it may invoke, and the
// role and permission that grant it. Interprets permissions like the gateway
// (src/snapshot/compile/callers.ts).

import type { ModelId, PrincipalId, RoleId } from '../src/lib/ids.ts';
import type { Permission, Role } from './config/role.ts';
import type { ConfigState } from './config/state.ts';
import { closedModelsIn } from './snapshot.ts';

export type Via = Readonly<{ roleId: RoleId; role: string; resource: string }>;

export type Access = Readonly<{
  principalId: PrincipalId;
  modelId: ModelId;
  model: string;
  /** Has at least one element. */
  via: readonly Via[];
}>;

/** Access is sorted by this pair of ids. */
export type AccessKey = Readonly<{ principalId: number; modelId: number }>;

/** Sorted by principal, then model; only those after `after`. */
export function* accessOf(state: ConfigState, after: AccessKey | null = null): Generator<Access> {
  const from = after?.principalId ?? 0;
  const closed = closedModelsIn(state);
  for (const { id: principalId, roleIds } of state.principal.byId.values()) {
    if (principalId < from || roleIds.length === 0) continue;
    const roles = roleIds.flatMap((id) => state.role.byId.get(id) ?? []);
    const grants = roles.flatMap(grantsOf);
    if (grants.length === 0) continue;
    for (const { id: modelId, name } of state.model.byId.values()) {
      if (principalId === from && modelId <= (after?.modelId ?? 0)) continue;
      const model = { name, isOpen: !closed.has(modelId) };
      const via = grants.flatMap((grant) => (covers(grant.resource, model) ? [grant] : []));
      if (via.length > 0) yield { principalId, modelId, model: name, via };
    }
  }
}

const grantsOf = ({ id, name, permissions }: Role): readonly Via[] =>
  permissions
    .filter(isOfModels)
    .map(({ resource }) => ({ roleId: id, role: name, resource: resource.slice(prefix.length) }));

const prefix = 'model/';
const isOfModels = ({ verb, resource }: Permission): boolean =>
  verb === 'model:invoke' && resource.startsWith(prefix);

const covers = (pattern: string, { name, isOpen }: { name: string; isOpen: boolean }): boolean =>
  pattern.endsWith('*') ? isOpen && name.startsWith(pattern.slice(0, -1)) : pattern === name;

export type AccessChange = Readonly<{ change: 'gained' | 'lost'; access: Access }>;

/** The access that one state allows and the other does not, in the order of keys. */
export function* accessChanges(
  before: ConfigState,
  after: ConfigState,
  behind: AccessKey | null = null,
): Generator<AccessChange> {
  const [old, now] = [accessOf(before, behind), accessOf(after, behind)];
  let [lost, gained] = [old.next(), now.next()];
  while (lost.done !== true || gained.done !== true) {
    const order =
      lost.done === true ? 1 : gained.done === true ? -1 : compareKeys(lost.value, gained.value);
    if (order < 0 && lost.done !== true) yield { change: 'lost', access: lost.value };
    if (order > 0 && gained.done !== true) yield { change: 'gained', access: gained.value };
    if (order <= 0) lost = old.next();
    if (order >= 0) gained = now.next();
  }
}

const compareKeys = (one: AccessKey, other: AccessKey): number =>
  one.principalId - other.principalId || one.modelId - other.modelId;
