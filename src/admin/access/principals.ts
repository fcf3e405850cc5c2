// Serves principals and their roles (specification, "Principals, keys, roles").

import { z } from 'zod';

import type { Principal } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listPrincipals } from '../../../projections/tables/principals.ts';
import type { PrincipalRow } from '../../../projections/tables/principals.ts';
import { principalDetails } from '../../control/access/record-details.ts';
import { changedPrincipal, newPassword, newPrincipal } from '../../control/access/principals.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { passwordBytesMax, passwordRules } from '../../control/access/passwords.ts';
import { nameField, shownText, timestamp } from '../../lib/fields.ts';
import { principalId } from '../../lib/ids.ts';
import { compareText } from '../../lib/text.ts';
import { principalKind } from '../../lib/vocabulary.ts';
import type { AccessNeeds } from './needs.ts';
import { idIn } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { byId } from '../lists/page.ts';
import { recordRoutes } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const principalRecord = z.object({
  id: principalId,
  name: z.string(),
  kind: principalKind,
  email: z.string().nullable(),
  roles: z.array(z.string()).readonly(),
  /** The roles that follow from the groups of the linked identity. */
  group_roles: z.array(z.string()).readonly(),
  /**
   * The identity that signs in as this principal: OpenID issuer, `sub` (empty once erased) and time
   * of linking.
   */
  identity: z.object({ issuer: z.string(), subject: z.string(), linked_at: timestamp }).nullable(),
  created_at: timestamp,
});
type PrincipalRecord = z.input<typeof principalRecord>;

const emailField = shownText(320)
  .regex(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address, such as ann@example.com')
  .nullable();
const params = idIn(principalId);
const config = { permission: 'config:write', query: none } as const;

export const principalRoutes = [
  ...recordRoutes({
    noun: 'principal',
    path: '/admin/principals',
    called: ['Principal', 'Principals'],
    summaries: {
      list: 'List principals with their roles',
      one: 'Get a principal',
      create: 'Create a principal',
      change: 'Update the name or e-mail address of a principal',
      delete: 'Delete a principal with its keys, roles and sessions',
    },
    id: principalId,
    record: principalRecord,
    order: byId,
    rows: listPrincipals,
    rowIn: (state, id) => rowOf(state, written(state.principal, id)),
    toBody: (rows, needs: AccessNeeds) => toRecords(needs, rows),
    create: {
      body: z.strictObject({
        name: nameField,
        kind: principalKind.default('service_account'),
        email: emailField.optional(),
      }),
      event: 'PrincipalCreated',
      mutation: (given, _call, needs: AccessNeeds) => newPrincipal(needs, given),
    },
    change: {
      body: z.strictObject({ name: nameField.optional(), email: emailField.optional() }),
      mutation: (changed, { config }, needs: AccessNeeds) =>
        changedPrincipal(needs, config, changed),
    },
    delete: { command: (id) => ({ type: 'DeletePrincipal', id }) },
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/principals/{id}/roles',
    operation: 'grantRole',
    summary: 'Grant a role; has no effect if the principal already has it',
    refusals: ['absent'],
    params,
    body: z.strictObject({ role: nameField }),
    response: principalRecord,
    handle: ({ params: { id }, body: { role } }, call, { vault }: AccessNeeds) =>
      mutate(call, { command: { type: 'GrantRole', id, role } }, ({ state }, db) =>
        recordOf({ vault, db }, state, id),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/principals/{id}/roles/{role}',
    operation: 'revokeRole',
    summary: 'Revoke a role',
    refusals: ['absent'],
    params: params.extend({ role: z.string().max(500) }),
    body: none,
    response: principalRecord,
    handle: ({ params: { id, role } }, call, { vault }: AccessNeeds) =>
      mutate(call, { command: { type: 'RevokeRole', id, role } }, ({ state }, db) =>
        recordOf({ vault, db }, state, id),
      ),
  }),
  route({
    ...config,
    method: 'PUT',
    path: '/admin/principals/{id}/password',
    operation: 'setPassword',
    summary: 'Set a password, which makes the principal a user and ends its sessions',
    refusals: ['absent'],
    params,
    body: z.strictObject({
      password: z.string().max(passwordBytesMax).meta({ description: passwordRules }),
    }),
    response: principalRecord,
    handle: async ({ params: { id }, body: { password } }, call, needs: AccessNeeds) =>
      mutate(call, await newPassword(needs, call.config, { id, password }), ({ state }, db) =>
        recordOf({ ...needs, db }, state, id),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/principals/{id}/identity',
    operation: 'unlinkIdentity',
    summary: 'Unlink the single sign-on identity and remove the roles of its groups',
    refusals: ['absent'],
    params,
    body: none,
    response: principalRecord,
    handle: ({ params: { id } }, call, { vault }: AccessNeeds) =>
      mutate(call, { command: { type: 'UnlinkIdentity', id } }, ({ state }, db) =>
        recordOf({ vault, db }, state, id),
      ),
  }),
] as const;

async function recordOf(reading: Revealing, state: ConfigState, id: number) {
  const row = rowOf(state, written(state.principal, id));
  const [record] = await toRecords(reading, [row]);
  if (record === undefined) throw new Error(`principal ${id} has no record`);
  return record;
}

const rowOf = (state: ConfigState, principal: Principal): PrincipalRow => ({
  id: principal.id,
  kind: principal.kind,
  name: principal.name.text,
  name_ref: principal.name.ref,
  email_ref: principal.emailRef,
  created_at: new Date(principal.createdAt),
  roles: roleNames(state, principal.roleIds),
  group_roles: roleNames(state, principal.identityRoleIds),
  identity_issuer: principal.identity?.issuer ?? null,
  identity_ref: principal.identity?.ref ?? null,
});

const roleNames = (state: ConfigState, ids: Principal['roleIds']): readonly string[] =>
  ids.flatMap((id) => state.role.byId.get(id)?.name ?? []).toSorted(compareText);

async function toRecords(
  reading: Revealing,
  rows: readonly PrincipalRow[],
): Promise<PrincipalRecord[]> {
  const { texts, linked } = await principalDetails(reading, rows);
  return rows.map((row) => ({
    id: row.id,
    name: row.name ?? texts.get(row.name_ref ?? '') ?? '',
    kind: row.kind,
    email: texts.get(row.email_ref ?? '') ?? null,
    roles: row.roles,
    group_roles: row.group_roles,
    identity: identityOf(row, { texts, linked }),
    created_at: row.created_at.toISOString(),
  }));
}

type Known = Readonly<{
  texts: ReadonlyMap<string, string>;
  linked: ReadonlyMap<string, Date>;
}>;

function identityOf(
  { identity_issuer: issuer, identity_ref: ref, created_at }: PrincipalRow,
  { texts, linked }: Known,
): PrincipalRecord['identity'] {
  if (issuer === null || ref === null) return null;
  const since = linked.get(ref) ?? created_at;
  return { issuer, subject: texts.get(ref) ?? '', linked_at: since.toISOString() };
}
