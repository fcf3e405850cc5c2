// Admin tokens: how programs such as CI jobs and Terraform call the admin API. The token itself is answered once, by its creation; no
// route answers it or its verifier again.

import { z } from 'zod';

import type { AdminToken } from '../../../projections/config/admin-token.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { adminTokens, listAdminTokens } from '../../../projections/tables/admin-tokens.ts';
import type { AdminTokenRow } from '../../../projections/tables/admin-tokens.ts';
import {
  mintAdminToken,
  tokenDaysMax,
  tokenDefaultMs,
  tokenMaxMs,
} from '../../control/access/admin-tokens.ts';
import { apiKeyRandomBytes } from '../../control/access/api-key.ts';
import { readAdminTokenUses } from '../../db/usage/admin-token-uses.ts';
import type { Secret } from '../../db/vault.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { adminTokenId, principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { adminVerb } from '../../lib/vocabulary.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byId } from '../lists/page.ts';
import { holderOf } from '../http/permissions.ts';
import type { Control } from '../control.ts';
import { readRoutes } from '../lists/records.ts';
import { none, route } from '../http/route.ts';

const tokenRecord = z.object({
  id: adminTokenId,
  name: z.string(),
  principal_id: principalId,
  principal: z.string(),
  prefix: z.string(),
  /** The most that it may do; it never does more than its principal may do at that time. */
  permissions: z.array(adminVerb).readonly(),
  expires_at: timestamp,
  revoked: z.boolean(),
  created_at: timestamp,
  /** To the minute. Null when it was never used, and for a moment of the past. */
  last_used_at: timestamp.nullable(),
});
type TokenRecord = z.input<typeof tokenRecord>;

const createdToken = tokenRecord
  .pick({ id: true, name: true, principal_id: true, prefix: true, permissions: true })
  .extend({ expires_at: timestamp, token: z.string() });

const permissionsField = z
  .array(adminVerb)
  .min(1)
  .refine((verbs) => new Set(verbs).size === verbs.length, 'must not name a permission twice');

export const tokenRoutes = [
  ...readRoutes({
    noun: 'admin_token',
    path: '/admin/tokens',
    called: ['AdminToken', 'AdminTokens'],
    summaries: {
      list: 'List the admin tokens, without their secrets',
      one: 'Read an admin token, without its secret',
    },
    id: adminTokenId,
    record: tokenRecord,
    order: byId,
    table: adminTokens,
    rows: listAdminTokens,
    rowIn: (state, id) => rowOf(state, written(state.admin_token, id))[0] ?? null,
    toBody: (rows, control: Control, past) => toRecords(control, rows, past),
    absent: (id) => refuse('absent', `token ${id} does not exist`),
  }),
  route({
    method: 'POST',
    path: '/admin/tokens',
    operation: 'createAdminToken',
    permission: 'config:write',
    summary: 'Create an admin token; only this answer shows it',
    refusals: [],
    params: none,
    query: none,
    body: z.strictObject({
      name: nameField,
      principal_id: principalId,
      permissions: permissionsField,
      /** 90 days from now when absent; at most 365 days. */
      expires_at: timestampField.optional(),
    }),
    response: createdToken,
    handle: ({ body }, call) => {
      const { caller, control } = call;
      const expiresAt = readExpiry(body.expires_at, control.clock());
      if (isRefusal(expiresAt)) return expiresAt;
      const {
        key: token,
        prefix,
        verifier,
      } = mintAdminToken(control.randomBytes(apiKeyRandomBytes));
      const ref = control.newId();
      const secret: Secret = { ref, class: 'key_verifier', plaintext: verifier };
      const command = {
        type: 'CreateAdminToken',
        name: body.name,
        principalId: body.principal_id,
        prefix,
        verifierRef: ref,
        permissions: body.permissions,
        expiresAt,
        boundBy: caller.kind === 'admin_token' ? holderOf(caller) : null,
      } as const;
      return mutate(call, { command, secrets: [secret] }, (outcome) => {
        const made = written(outcome.state.admin_token, idOf(outcome, 'AdminTokenCreated'));
        const { id, name, principalId: principal_id, permissions } = made;
        return { id, name, principal_id, prefix, permissions, expires_at: expiresAt, token };
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/admin/tokens/{id}',
    operation: 'revokeAdminToken',
    permission: 'config:write',
    summary: 'Revoke an admin token; its row stays',
    refusals: ['absent'],
    params: idIn(adminTokenId),
    query: none,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'RevokeAdminToken', id } }, () => ({ id })),
  }),
] as const;

/** RFC 3339. */
function readExpiry(given: string | undefined, now: number): string | Refusal {
  const at = given === undefined ? now + tokenDefaultMs : Date.parse(given);
  const param = 'expires_at';
  if (at <= now) return refuse('invalid', `${param} ${given} is in the past`, { param });
  if (at <= now + tokenMaxMs) return toRfc3339(at);
  return refuse('invalid', `${param} ${given} is more than ${tokenDaysMax} days away`, { param });
}

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
  { db, vault }: Pick<Control, 'db' | 'vault'>,
  rows: readonly AdminTokenRow[],
  past: ConfigState | null,
): Promise<TokenRecord[]> {
  const refs = rows.flatMap((row) => row.principal_name_ref ?? []);
  const names = await vault.reveal(db, refs);
  const uses = await readAdminTokenUses(db, past === null ? rows.map(({ id }) => id) : []);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    principal_id: row.principal_id,
    principal: row.principal ?? names.get(row.principal_name_ref ?? '') ?? '',
    prefix: row.prefix,
    permissions: row.permissions,
    expires_at: row.expires_at.toISOString(),
    revoked: row.revoked,
    created_at: row.created_at.toISOString(),
    last_used_at: uses.get(row.id)?.toISOString() ?? null,
  }));
}
