// Decides commands on tokens of the admin API: which permissions a token may carry and when it
// stops working.

import { streamOf } from '../../../events/catalogue.ts';
import type { AdminToken } from '../../../projections/config/admin-token.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { adminTokenId } from '../../lib/ids.ts';
import type { AdminTokenId, PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { AdminVerb } from '../../lib/vocabulary.ts';
import type { Decision } from '../decision.ts';
import { verbsHeld, verbsOf } from '../../../projections/config/grants.ts';
import type { Holder } from '../../../projections/config/grants.ts';

export type AdminTokenCommand =
  | Readonly<{
      type: 'CreateAdminToken';
      name: string;
      principalId: PrincipalId;
      prefix: string;
      verifierRef: string;
      permissions: readonly AdminVerb[];
      /** RFC 3339. */
      expiresAt: string;
      /** The caller's token. It cannot create a token with more permissions. */
      boundBy: Holder | null;
    }>
  | Readonly<{ type: 'RevokeAdminToken'; id: AdminTokenId }>;

export function decideAdminToken(state: ConfigState, command: AdminTokenCommand): Decision {
  if (command.type === 'CreateAdminToken') return createToken(state, command);
  const { id } = command;
  const token = state.admin_token.byId.get(id);
  if (token === undefined) return refuse('absent', `token ${id} does not exist`);
  if (token.revoked) return [];
  return [{ stream: streamOf('admin_token', id), type: 'AdminTokenRevoked', data: { id } }];
}

type Creation = Extract<AdminTokenCommand, { type: 'CreateAdminToken' }>;

function createToken(state: ConfigState, command: Creation): Decision {
  const { principalId, permissions, boundBy } = command;
  const held = verbsOf(state, principalId);
  if (held === null) {
    const param = 'principal_id';
    return refuse('invalid', `${param} ${principalId} does not exist`, { param });
  }
  const missing = permissions.filter((verb) => !held.has(verb));
  if (missing.length > 0) {
    const param = 'permissions';
    const message = `${param}: principal ${principalId} does not hold ${missing.join(', ')}`;
    return refuse('invalid', message, { param });
  }
  const bound = boundBy === null ? held : (verbsHeld(state, boundBy) ?? new Set());
  const excess = permissions.filter((verb) => !bound.has(verb));
  if (excess.length > 0) {
    const param = 'permissions';
    const message = `${param}: the token of this request does not hold ${excess.join(', ')}`;
    return refuse('forbidden', message, { param });
  }
  const id = adminTokenId.parse(state.admin_token.lastId + 1);
  const data = {
    id,
    principal_id: principalId,
    name: command.name,
    prefix: command.prefix,
    verifier_ref: command.verifierRef,
    permissions: [...permissions],
    expires_at: command.expiresAt,
  };
  return [{ stream: streamOf('admin_token', id), type: 'AdminTokenCreated', data }];
}

/** `now` is epoch milliseconds. */
export const isLiveToken = ({ revoked, expiresAt }: AdminToken, now: number): boolean =>
  !revoked && Date.parse(expiresAt) > now;
