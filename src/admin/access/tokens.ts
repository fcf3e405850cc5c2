// Serves admin tokens, with which programs such as CI jobs and Terraform call the admin API. Only
// the creation response contains the token; no route returns its verifier.

import { z } from 'zod';

import type { AdminToken } from '../../../projections/config/admin-token.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listAdminTokens } from '../../../projections/tables/admin-tokens.ts';
import type { AdminTokenRow } from '../../../projections/tables/admin-tokens.ts';
import { namesOf, usesOf } from '../../control/access/record-details.ts';
import { newAdminToken } from '../../control/access/mint.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { adminTokenId, principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { adminVerb } from '../../lib/vocabulary.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byId } from '../lists/page.ts';
import { holderOf } from '../http/permissions.ts';
import { deleteRoute } from '../lists/changes.ts';
import type { AccessNeeds } from './needs.ts';
import { readRoutes } from '../lists/records.ts';
import { none, route } from '../http/route.ts';

const tokenRecord = z.object({
  id: adminTokenId,
  name: z.string(),
  principal_id: principalId,
  principal: z.string(),
  prefix: z.string(),
  /** The principal's current permissions limit these further. */
  permissions: z.array(adminVerb).readonly(),
  expires_at: timestamp,
  revoked: z.boolean(),
  created_at: timestamp,
  /** Rounded to the minute. Null if never used, and when reading a past state. */
  last_used_at: timestamp.nullable(),
});
type TokenRecord = z.input<typeof tokenRecord>;

const createdToken = tokenRecord
  .pick({ id: true, name: true, principal_id: true, prefix: true, permissions: true })
  .extend({ expires_at: timestamp, token: z.string() });

const permissionsField = z
  .array(adminVerb)
  .min(1)
  .refine((verbs) => new Set(verbs).size === verbs.length, 'must not contain a permission twice');

export const tokenRoutes = [
  ...readRoutes({
    noun: 'admin_token',
    path: '/admin/tokens',
    called: ['AdminToken', 'AdminTokens'],
    summaries: {
      list: 'List admin tokens, without their secrets',
      one: 'Get an admin token, without its secret',
    },
    id: adminTokenId,
    record: tokenRecord,
    order: byId,
    rows: listAdminTokens,
    rowIn: (state, id) => rowOf(state, written(state.admin_token, id))[0] ?? null,
    toBody: (rows, needs: AccessNeeds, past) => toRecords(needs, rows, past),
    absent: (id) => refuse('absent', `token ${id} does not exist`),
  }),
  route({
    method: 'POST',
    path: '/admin/tokens',
    operation: 'createAdminToken',
    permission: 'config:write',
    summary: 'Create an admin token; only this response contains it',
    refusals: [],
    params: none,
    query: none,
    body: z.strictObject({
      name: nameField,
      principal_id: principalId,
      permissions: permissionsField,
      /** Defaults to 90 days from now; at most 365 days. */
      expires_at: timestampField.optional(),
    }),
    response: createdToken,
    handle: ({ body }, call, needs: AccessNeeds) => {
      const { caller } = call;
      const boundBy = caller.kind === 'admin_token' ? holderOf(caller) : null;
      const made = newAdminToken(needs, body, boundBy);
      if (isRefusal(made)) return made;
      return mutate(call, made.mutation, (outcome) => {
        const one = written(outcome.state.admin_token, idOf(outcome, 'AdminTokenCreated'));
        const { id, name, principalId: principal_id, prefix, permissions, expiresAt } = one;
        const shown = { id, name, principal_id, prefix, permissions };
        return { ...shown, expires_at: expiresAt, token: made.plaintext };
      });
    },
  }),
  deleteRoute({
    path: '/admin/tokens/{id}',
    operation: 'revokeAdminToken',
    summary: 'Revoke an admin token; its row stays',
    id: adminTokenId,
    command: (id) => ({ type: 'RevokeAdminToken', id }),
  }),
] as const;

function rowOf({ principal: principals }: ConfigState, token: AdminToken): AdminTokenRow[] {
  const owner = principals.byId.get(token.principalId);
  if (owner === undefined) return [];
  return [
    {
      id: token.id,
      principal_id: token.principalId,
      principal: owner.name.text,
      principal_name_ref: owner.name.ref,
      name: token.name,
      prefix: token.prefix,
      permissions: token.permissions,
      expires_at: new Date(token.expiresAt),
      revoked: token.revoked,
      created_at: new Date(token.createdAt),
    },
  ];
}

async function toRecords(
  reading: Revealing,
  rows: readonly AdminTokenRow[],
  past: ConfigState | null,
): Promise<TokenRecord[]> {
  const nameOf = await namesOf(reading, rows);
  const uses = await usesOf.tokens(reading.db, past === null ? rows.map(({ id }) => id) : []);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    principal_id: row.principal_id,
    principal: nameOf(row),
    prefix: row.prefix,
    permissions: row.permissions,
    expires_at: row.expires_at.toISOString(),
    revoked: row.revoked,
    created_at: row.created_at.toISOString(),
    last_used_at: uses.get(row.id)?.toISOString() ?? null,
  }));
}
