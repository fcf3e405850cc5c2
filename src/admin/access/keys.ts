// Serves API keys. Only the creation response contains the plaintext; no route returns a verifier
// (specification, "API key").

import { z } from 'zod';

import type { ApiKey } from '../../../projections/config/api-key.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listApiKeys } from '../../../projections/tables/api-keys.ts';
import type { ApiKeyRow } from '../../../projections/tables/api-keys.ts';
import { namesOf, usesOf } from '../../control/access/record-details.ts';
import { newApiKey } from '../../control/access/mint.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { apiKeyId, principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { AccessNeeds } from './needs.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byId } from '../lists/page.ts';
import { holderOf } from '../http/permissions.ts';
import { readRoutes } from '../lists/records.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const keyRecord = z.object({
  id: apiKeyId,
  name: z.string(),
  principal_id: principalId,
  principal: z.string(),
  prefix: z.string(),
  expires_at: timestamp.nullable(),
  disabled: z.boolean(),
  created_at: timestamp,
  /**
   * When the newest reported request used this key. Null if none did, and when reading a past
   * state.
   */
  last_used_at: timestamp.nullable(),
});

const createdKey = keyRecord
  .pick({ id: true, name: true, principal_id: true, prefix: true, expires_at: true })
  .extend({ key: z.string() });

export const keyRoutes = [
  ...readRoutes({
    noun: 'api_key',
    path: '/admin/keys',
    called: ['Key', 'Keys'],
    summaries: {
      list: 'List API keys, without their secrets',
      one: 'Get an API key, without its secret',
    },
    id: apiKeyId,
    record: keyRecord,
    order: byId,
    rows: listApiKeys,
    rowIn: (state, id) => rowsOf(state, state.api_key.byId.get(id))[0] ?? null,
    toBody: (rows, needs: AccessNeeds, past) => toRecords(needs, rows, past),
    absent: (id) => refuse('absent', `key ${id} does not exist`),
  }),
  route({
    method: 'POST',
    path: '/admin/keys',
    operation: 'createKey',
    permission: 'key:create',
    summary: 'Create an API key; only this response contains it',
    refusals: [],
    params: none,
    query: none,
    body: z.strictObject({
      name: nameField,
      principal_id: principalId,
      /** Must be in the future. Null never expires. */
      expires_at: timestampField.nullable().default(null),
    }),
    response: createdKey,
    handle: ({ body }, call, needs: AccessNeeds) => {
      const boundBy = needs.strictKeyMint ? (holderOf(call.caller) ?? undefined) : undefined;
      const made = newApiKey(needs, body, boundBy);
      if (isRefusal(made)) return made;
      return mutate(call, made.mutation, (outcome) => {
        const one = written(outcome.state.api_key, idOf(outcome, 'ApiKeyCreated'));
        return {
          id: one.id,
          name: one.name,
          principal_id: one.principalId,
          prefix: one.prefix,
          expires_at: one.expiresAt,
          key: made.plaintext,
        };
      });
    },
  }),
  deleteRoute({
    path: '/admin/keys/{id}',
    operation: 'revokeKey',
    permission: 'key:revoke',
    summary: 'Revoke an API key; its record is kept',
    id: apiKeyId,
    command: (id) => ({ type: 'RevokeApiKey', id }),
  }),
] as const;

function rowsOf({ principal }: ConfigState, key: ApiKey | undefined): ApiKeyRow[] {
  const owner = principal.byId.get(key?.principalId ?? 0);
  if (key === undefined || owner === undefined) return [];
  return [
    {
      id: key.id,
      principal_id: key.principalId,
      principal: owner.name.text,
      principal_name_ref: owner.name.ref,
      name: key.name,
      prefix: key.prefix,
      expires_at: key.expiresAt === null ? null : new Date(key.expiresAt),
      disabled: key.disabled,
      created_at: new Date(key.createdAt),
    },
  ];
}

async function toRecords(reading: Revealing, rows: readonly ApiKeyRow[], past: ConfigState | null) {
  const nameOf = await namesOf(reading, rows);
  const uses = await usesOf.keys(reading.db, past === null ? rows.map(({ id }) => id) : []);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    principal_id: row.principal_id,
    principal: nameOf(row),
    prefix: row.prefix,
    expires_at: row.expires_at?.toISOString() ?? null,
    disabled: row.disabled,
    created_at: row.created_at.toISOString(),
    last_used_at: uses.get(row.id)?.toISOString() ?? null,
  }));
}
