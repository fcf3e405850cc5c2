// Decides commands on API keys (specification, "API key").

import { streamOf } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { apiKeyId } from '../../lib/ids.ts';
import type { ApiKeyId, PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Decision } from '../decision.ts';
import { setFields } from '../set-fields.ts';
import { mayAsMuch } from '../../../projections/config/grants.ts';
import type { Holder } from '../../../projections/config/grants.ts';

export type ApiKeyCommand =
  | Readonly<{
      type: 'CreateApiKey';
      name: string;
      principalId: PrincipalId;
      prefix: string;
      verifierRef: string;
      /** RFC 3339. */
      expiresAt: string | null;
      /**
       * Set if the caller may create keys only for principals with no more permissions than its
       * own.
       */
      boundBy?: Holder | undefined;
    }>
  | Readonly<{ type: 'RevokeApiKey'; id: ApiKeyId }>
  | Readonly<{ type: 'EnableApiKey'; id: ApiKeyId }>
  /** RFC 3339; null if the key never expires. */
  | Readonly<{ type: 'SetApiKeyExpiry'; id: ApiKeyId; expiresAt: string | null }>;

export const noApiKey = (id: number): Refusal => refuse('absent', `key ${id} does not exist`);

export function decideApiKey(state: ConfigState, command: ApiKeyCommand): Decision {
  if (command.type === 'CreateApiKey') return createApiKey(state, command);
  const key = state.api_key.byId.get(command.id);
  if (key === undefined) return noApiKey(command.id);
  const stream = streamOf('api_key', key.id);
  const { id } = key;
  switch (command.type) {
    case 'RevokeApiKey':
      return key.disabled ? [] : [{ stream, type: 'ApiKeyRevoked', data: { id } }];
    case 'EnableApiKey':
      return key.disabled ? [{ stream, type: 'ApiKeyEnabled', data: { id } }] : [];
    case 'SetApiKeyExpiry':
      return setFields('api_key', key, { expiresAt: command.expiresAt });
  }
}

type Creation = Extract<ApiKeyCommand, { type: 'CreateApiKey' }>;

function createApiKey(state: ConfigState, command: Creation): Decision {
  if (!state.principal.byId.has(command.principalId)) {
    return refuse('invalid', `principal_id ${command.principalId} does not exist`, {
      param: 'principal_id',
    });
  }
  const { boundBy } = command;
  if (boundBy !== undefined && !mayAsMuch(state, boundBy, command.principalId)) {
    return refuse(
      'forbidden',
      `principal_id ${command.principalId} has permissions that you do not have; creating a key for it requires config:write`,
      { param: 'principal_id' },
    );
  }
  const id = apiKeyId.parse(state.api_key.lastId + 1);
  const data = {
    id,
    principal_id: command.principalId,
    name: command.name,
    prefix: command.prefix,
    verifier_ref: command.verifierRef,
    expires_at: command.expiresAt,
  };
  return [{ stream: streamOf('api_key', id), type: 'ApiKeyCreated', data }];
}
