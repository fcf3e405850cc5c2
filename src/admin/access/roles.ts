// Serves roles and their permissions (specification, "Role and permission"). Roles are addressed by
// name.

import { z } from 'zod';

import { roleNamed } from '../../../projections/config/find.ts';
import type { Role } from '../../../projections/config/role.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listRoles } from '../../../projections/tables/roles.ts';
import { descriptionField, resourceField, roleNameField } from '../../lib/fields.ts';
import { roleId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import { compareText } from '../../lib/text.ts';
import { verb } from '../../lib/vocabulary.ts';
import { asOfQuery } from '../http/as-of.ts';
import { deletedRecord } from '../http/fields.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { answerOne, answerPage, byId, listQuery } from '../lists/page.ts';
import type { AccessNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const permissionField = z.strictObject({
  verb,
  resource: resourceField.default('*'),
});

const roleRecord = z.object({
  id: roleId,
  name: z.string(),
  description: z.string().nullable(),
  permissions: z.array(z.object({ verb, resource: z.string() })).readonly(),
});

const params = z.strictObject({ name: z.string().max(500) });
const config = { permission: 'config:write', query: none } as const;

export const roleRoutes = [
  route({
    method: 'GET',
    path: '/admin/roles',
    operation: 'listRoles',
    permission: 'usage:read',
    summary: 'List roles with their permissions',
    refusals: [],
    params: none,
    query: listQuery(roleRecord),
    body: none,
    response: z.array(roleRecord),
    handle: ({ query }, call, { db }: AccessNeeds) =>
      answerPage(call, query, {
        record: roleRecord,
        ...byId,
        rows: (page) => listRoles(db, page),
        total: ({ role }) => role.byId.size,
        rowsIn: ({ role }) => [...role.byId.values()].map(toRecord),
        toBody: (rows) => rows,
      }),
  }),
  route({
    method: 'GET',
    permission: 'usage:read',
    body: none,
    path: '/admin/roles/{name}',
    operation: 'getRole',
    summary: 'Get a role',
    refusals: ['absent'],
    params,
    query: asOfQuery,
    response: roleRecord,
    handle: ({ params: { name }, query }, call) =>
      answerOne(call, query, {
        rowIn: (state) => {
          const role = roleNamed(state, name);
          return role === undefined ? null : toRecord(role);
        },
        toBody: (rows) => rows,
        absent: refuse('absent', `role ${name} does not exist`),
      }),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/roles',
    operation: 'createRole',
    summary: 'Create a role without permissions',
    refusals: ['conflict'],
    params: none,
    body: z.strictObject({ name: roleNameField, description: descriptionField.default(null) }),
    response: roleRecord,
    handle: ({ body }, call) =>
      mutate(call, { command: { type: 'CreateRole', ...body } }, (outcome) =>
        toRecord(written(outcome.state.role, idOf(outcome, 'RoleCreated'))),
      ),
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/roles/{name}',
    operation: 'updateRole',
    summary: 'Update the name or description of a role',
    refusals: ['absent', 'conflict'],
    params,
    body: z.strictObject({
      name: roleNameField.optional(),
      description: descriptionField.optional(),
    }),
    response: roleRecord,
    handle: ({ params: { name: role }, body: { name, description } }, call) =>
      mutate(call, { command: { type: 'UpdateRole', role, name, description } }, ({ state }) =>
        recordNamed(state, name ?? role),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/roles/{name}',
    operation: 'deleteRole',
    summary: 'Delete a role that no principal has',
    refusals: ['absent', 'conflict'],
    params,
    body: none,
    response: deletedRecord,
    handle: ({ params: { name: role } }, call) =>
      mutate(call, { command: { type: 'DeleteRole', role } }, (outcome) => ({
        id: idOf(outcome, 'RoleDeleted'),
      })),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/roles/{name}/permissions',
    operation: 'grantPermission',
    summary: 'Grant a permission; has no effect if the role already has it',
    refusals: ['absent'],
    params,
    body: permissionField,
    response: roleRecord,
    handle: ({ params: { name: role }, body }, call) =>
      mutate(call, { command: { type: 'GrantPermission', role, ...body } }, ({ state }) =>
        recordNamed(state, role),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/roles/{name}/permissions',
    operation: 'revokePermission',
    summary: 'Revoke a permission',
    refusals: ['absent'],
    params,
    body: permissionField,
    response: roleRecord,
    handle: ({ params: { name: role }, body }, call) =>
      mutate(call, { command: { type: 'RevokePermission', role, ...body } }, ({ state }) =>
        recordNamed(state, role),
      ),
  }),
] as const;

const toRecord = ({ id, name, description, permissions }: Role) => ({
  id,
  name,
  description,
  permissions: permissions.toSorted(
    (one, other) => compareText(one.verb, other.verb) || compareText(one.resource, other.resource),
  ),
});

function recordNamed(state: ConfigState, name: string) {
  const role = roleNamed(state, name);
  if (role === undefined) throw new Error(`role ${name} is missing after it was written`);
  return toRecord(role);
}
