// API keys: the plaintext is answered once, by creation; no route answers a key or its verifier (specification, "API key").

import { z } from 'zod';

import type { ApiKey } from '../../../projections/config/api-key.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { apiKeys, listApiKeys } from '../../../projections/tables/api-keys.ts';
import type { ApiKeyRow } from '../../../projections/tables/api-keys.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../control/access/api-key.ts';
import { readKeyUses } from '../../db/usage/key-uses.ts';
import type { Secret } from '../../db/vault.ts';
import { noApiKey } from '../../deciders/callers/api-key.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { apiKeyId, principalId } from '../../lib/ids.ts';
import type { ApiKeyId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import type { Control } from '../control.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byId } from '../lists/page.ts';
import { holderOf } from '../http/permissions.ts';
import { readRoutes } from '../lists/records.ts';
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
  /** Of the newest request with it that was reported; null when there is none, and of a moment of the past. */
  last_used_at: timestamp.nullable(),
});

const createdKey = keyRecord
  .pick({ id: true, name: true, principal_id: true, prefix: true, expires_at: true })
  .extend({ key: z.string() });

const params = idIn(apiKeyId);

export const keyRoutes = [
  ...readRoutes({
    noun: 'api_key',
    path: '/admin/keys',
    called: ['Key', 'Keys'],
    summaries: {
      list: 'The API keys, without their secrets',
      one: 'One API key, without its secret',
    },
    id: apiKeyId,
    record: keyRecord,
    order: byId,
    table: apiKeys,
    rows: listApiKeys,
    rowIn: (state, id) => rowsOf(state, state.api_key.byId.get(id))[0] ?? null,
    toBody: (rows, control: Control, past) => toRecords(control, rows, past),
    absent: noApiKey,
  }),
  route({
    method: 'POST',
    path: '/admin/keys',
    operation: 'createKey',
    permission: 'key:create',
    summary: 'Create an API key; the answer is the only place that shows it',
    refusals: [],
    params: none,
    query: none,
    body: z.strictObject({
      name: nameField,
      principal_id: principalId,
      /** In the future; null never expires. */
      expires_at: timestampField.nullable().default(null),
    }),
    response: createdKey,
    handle: ({ body }, call) => {
      const { caller, control } = call;
      const { expires_at: expiry } = body;
      if (expiry !== null && Date.parse(expiry) <= control.clock()) {
        return refuse('invalid', `expires_at ${expiry} is in the past`, { param: 'expires_at' });
      }
      const { key, prefix, verifier } = mintApiKey(control.randomBytes(apiKeyRandomBytes));
      const ref = control.newId();
      const secret: Secret = { ref, class: 'key_verifier', plaintext: verifier };
      const command = {
        type: 'CreateApiKey',
        name: body.name,
        principalId: body.principal_id,
        prefix,
        verifierRef: ref,
        expiresAt: body.expires_at,
        boundBy: control.strictKeyMint ? (holderOf(caller) ?? undefined) : undefined,
      } as const;
      return mutate(call, { command, secrets: [secret] }, (outcome) => {
        const made = written(outcome.state.api_key, idOf(outcome, 'ApiKeyCreated'));
        return {
          id: made.id,
          name: made.name,
          principal_id: made.principalId,
          prefix,
          expires_at: made.expiresAt,
          key,
        };
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/admin/keys/{id}',
    operation: 'revokeKey',
    permission: 'key:revoke',
    summary: 'Revoke an API key; its row stays',
    refusals: ['absent'],
    params,
    query: none,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'RevokeApiKey', id } }, () => ({ id })),
  }),
] as const;

/** None without the key or its owner. */
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

async function toRecords(
  { db, vault }: Pick<Control, 'db' | 'vault'>,
  rows: readonly ApiKeyRow[],
  past: ConfigState | null,
) {
  const refs = rows.flatMap((row) => row.principal_name_ref ?? []);
  const names = await vault.reveal(db, refs);
  const uses = await readKeyUses(db, past === null ? rows.map(({ id }) => id) : []);
  return rows.map((row) => toRecord(row, { names, uses }));
}

type Beside = Readonly<{
  names: ReadonlyMap<string, string>;
  uses: ReadonlyMap<ApiKeyId, Date>;
}>;

const toRecord = (row: ApiKeyRow, { names, uses }: Beside) => ({
  id: row.id,
  name: row.name,
  principal_id: row.principal_id,
  principal: row.principal ?? names.get(row.principal_name_ref ?? '') ?? '',
  prefix: row.prefix,
  expires_at: row.expires_at?.toISOString() ?? null,
  disabled: row.disabled,
  created_at: row.created_at.toISOString(),
  last_used_at: uses.get(row.id)?.toISOString() ?? null,
});
