// Restores admin tokens. A revoked token stays revoked, like an API key.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { AdminToken } from '../../../projections/config/admin-token.ts';
import { createdAs } from '../set-fields.ts';
import type { Restoring } from './kind.ts';

export const adminTokens: Restoring<AdminToken> = {
  attainable: (wanted, held, { erased, revokedTokens }) => {
    if (held === undefined && erased.has(wanted.verifierRef)) {
      return { goal: null, losses: [{ field: 'verifier', reason: 'erased' }] };
    }
    const revoked = wanted.revoked || (held?.revoked ?? revokedTokens.has(wanted.id));
    const isLost = revoked !== wanted.revoked;
    return {
      goal: { ...wanted, revoked },
      losses: isLost ? [{ field: 'revoked', reason: 'revoked' }] : [],
    };
  },
  created: (goal) => [createdAs('admin_token', goal), ...revocation(goal)],
  changed: (held, goal) => (held.revoked ? [] : revocation(goal)),
};

const revocation = ({ id, revoked }: AdminToken): readonly GwEvent[] =>
  revoked ? [{ stream: streamOf('admin_token', id), type: 'AdminTokenRevoked', data: { id } }] : [];
