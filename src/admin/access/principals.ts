// Principals and the roles they hold (specification, "Principals, keys, roles").

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { StoredName } from '../../../events/principal.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listPrincipals, principals } from '../../../projections/tables/principals.ts';
import type { PrincipalRow } from '../../../projections/tables/principals.ts';
import { linkedSince } from '../../db/identities.ts';
import { passwordBytesMax, passwordRules } from '../../control/access/passwords.ts';
import type { Secret } from '../../db/vault.ts';
import { nameField, shownText, timestamp } from '../../lib/fields.ts';
import { principalId } from '../../lib/ids.ts';
import { noPrincipal } from '../../deciders/callers/principal.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { compareText } from '../../lib/text.ts';
import { principalKind } from '../../lib/vocabulary.ts';
import type { PrincipalKind } from '../../lib/vocabulary.ts';
import type { Control } from '../control.ts';
import { idIn } from '../http/fields.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byId } from '../lists/page.ts';
import { readRoutes } from '../lists/records.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const principalRecord = z.object({
  id: principalId,
  name: z.string(),
  kind: principalKind,
  email: z.string().nullable(),
  roles: z.array(z.string()).readonly(),
  /** Those among them that follow from the groups that its identity is in. */
  group_roles: z.array(z.string()).readonly(),
  /** Who logs in as it by single sign-on: the OpenID issuer, its `sub`, which is empty once erased, and since when. */
  identity: z.object({ issuer: z.string(), subject: z.string(), linked_at: timestamp }).nullable(),
  created_at: timestamp,
});
type PrincipalRecord = z.input<typeof principalRecord>;

const emailField = shownText(320)
  .regex(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address')
  .nullable();
const params = idIn(principalId);
const config = { permission: 'config:write', query: none } as const;

export const principalRoutes = [
  ...readRoutes({
    noun: 'principal',
    path: '/admin/principals',
    called: ['Principal', 'Principals'],
    summaries: {
      list: 'Every principal with the roles it holds',
      one: 'One principal',
    },
    id: principalId,
    record: principalRecord,
    order: byId,
    table: principals,
    rows: listPrincipals,
    rowIn: (state, id) => rowOf(state, written(state.principal, id)),
    toBody: (rows, control: Control) => toRecords(control, rows),
    absent: noPrincipal,
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/principals',
    operation: 'createPrincipal',
    summary: 'Create a principal',
    refusals: ['conflict'],
    params: none,
    body: z.strictObject({
      name: nameField,
      kind: principalKind.default('service_account'),
      email: emailField.optional(),
    }),
    response: principalRecord,
    handle: async ({ body }, call) => {
      const { control } = call;
      const { kind, email } = body;
      const { hide, secrets } = hider(control);
      const name = storedName(control, { name: body.name, kind, hide });
      const emailRef = typeof email === 'string' ? hide(email) : null;
      const command = { type: 'CreatePrincipal', name, kind, emailRef } as const;
      return mutate(call, { command, secrets }, (outcome, tx) =>
        recordOf({ ...control, db: tx }, outcome.state, idOf(outcome, 'PrincipalCreated')),
      );
    },
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/principals/{id}',
    operation: 'updatePrincipal',
    summary: 'Rename a principal or change its address',
    refusals: ['absent', 'conflict'],
    params,
    body: z.strictObject({ name: nameField.optional(), email: emailField.optional() }),
    response: principalRecord,
    handle: async ({ params: { id }, body }, call) => {
      const { control } = call;
      await control.refresh();
      const kind = control.state().principal.byId.get(id)?.kind ?? 'user';
      const { hide, secrets } = hider(control);
      const name =
        body.name === undefined ? undefined : storedName(control, { name: body.name, kind, hide });
      const emailRef = typeof body.email === 'string' ? hide(body.email) : body.email;
      const command = { type: 'UpdatePrincipal', id, name, emailRef } as const;
      return mutate(call, { command, secrets }, ({ state }, tx) =>
        recordOf({ ...control, db: tx }, state, id),
      );
    },
  }),
  deleteRoute({
    path: '/admin/principals/{id}',
    operation: 'deletePrincipal',
    summary: 'Delete a principal with its keys, its grants and its sessions',
    id: principalId,
    command: (id) => ({ type: 'DeletePrincipal', id }),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/principals/{id}/roles',
    operation: 'grantRole',
    summary: 'Grant a role; again is no change',
    refusals: ['absent'],
    params,
    body: z.strictObject({ role: nameField }),
    response: principalRecord,
    handle: ({ params: { id }, body: { role } }, call) =>
      mutate(call, { command: { type: 'GrantRole', id, role } }, ({ state }, tx) =>
        recordOf({ ...call.control, db: tx }, state, id),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/principals/{id}/roles/{role}',
    operation: 'revokeRole',
    summary: 'Revoke one role',
    refusals: ['absent'],
    params: params.extend({ role: z.string().max(500) }),
    body: none,
    response: principalRecord,
    handle: ({ params: { id, role } }, call) =>
      mutate(call, { command: { type: 'RevokeRole', id, role } }, ({ state }, tx) =>
        recordOf({ ...call.control, db: tx }, state, id),
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
    handle: async ({ params: { id }, body: { password } }, call) => {
      const { control } = call;
      // Asked before the hash, which costs more than the answer.
      await control.refresh();
      if (!control.state().principal.byId.has(id)) {
        return noPrincipal(id);
      }
      const hashed = await control.passwords.hash(password);
      if (isRefusal(hashed)) return hashed;
      const secret: Secret = { ref: control.newId(), class: 'password', plaintext: hashed };
      const command = { type: 'SetPassword', id, passwordRef: secret.ref } as const;
      return mutate(call, { command, secrets: [secret] }, ({ state }, tx) =>
        recordOf({ ...control, db: tx }, state, id),
      );
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/principals/{id}/identity',
    operation: 'unlinkIdentity',
    summary: 'Unlink the identity that logs in by single sign-on, with the roles of its groups',
    refusals: ['absent'],
    params,
    body: none,
    response: principalRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'UnlinkIdentity', id } }, ({ state }, tx) =>
        recordOf({ ...call.control, db: tx }, state, id),
      ),
  }),
] as const;

/** Collects what goes into the vault: the log gets the refs. */
function hider({ newId }: Pick<Control, 'newId'>) {
  const secrets: Secret[] = [];
  const hide = (plaintext: string): string => {
    const ref = newId();
    secrets.push({ ref, class: 'personal', plaintext });
    return ref;
  };
  return { hide, secrets };
}

type Naming = Readonly<{ name: string; kind: PrincipalKind; hide: (text: string) => string }>;

/** The name of a user is personal data, that of a service account is not. */
function storedName({ vault }: Pick<Control, 'vault'>, { name, kind, hide }: Naming): StoredName {
  const isPersonal = kind === 'user';
  return {
    text: isPersonal ? null : name,
    ref: isPersonal ? hide(name) : null,
    fingerprint: vault.fingerprint(name),
  };
}

/** Where names are revealed: in a mutation, by its transaction. */
type Reading = Pick<Control, 'vault'> & Readonly<{ db: Queryable }>;

async function recordOf(reading: Reading, state: ConfigState, id: number) {
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
  { vault, db }: Reading,
  rows: readonly PrincipalRow[],
): Promise<PrincipalRecord[]> {
  const refs = rows
    .flatMap((row) => [row.name_ref, row.email_ref, row.identity_ref])
    .filter((ref) => ref !== null);
  const texts = await vault.reveal(db, refs);
  const linked = await linkedSince(
    db,
    rows.flatMap((row) => row.identity_ref ?? []),
  );
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
