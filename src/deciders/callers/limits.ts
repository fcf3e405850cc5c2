// Decides commands on the rate limits of a principal. A principal without a row has no limits
// (specification, "Limits and budget").

import { snakeKeys } from '../../lib/case.ts';
import { streamOf } from '../../../events/catalogue.ts';
import type { Limits } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Decision } from '../decision.ts';
import { noPrincipal } from './principal.ts';

export type LimitsCommand =
  /** Replaces both limits, per minute; at least one must be set. */
  | Readonly<{ type: 'SetLimits'; id: PrincipalId; limits: Limits }>
  | Readonly<{ type: 'ClearLimits'; id: PrincipalId }>;

export function decideLimits(state: ConfigState, command: LimitsCommand): Decision {
  const { id } = command;
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const stream = streamOf('principal', id);
  switch (command.type) {
    case 'SetLimits': {
      const { requestsPerMin, tokensPerMin } = command.limits;
      if (requestsPerMin === null && tokensPerMin === null) {
        const message =
          'requests_per_min or tokens_per_min must be set; to remove the limits, use DELETE';
        return refuse('invalid', message, { param: 'requests_per_min' });
      }
      if (isSame(principal.limits, command.limits)) return [];
      const data = { id, ...snakeKeys(command.limits) };
      return [{ stream, type: 'PrincipalLimitsSet', data }];
    }
    case 'ClearLimits':
      if (principal.limits === null) return refuse('absent', `principal ${id} has no limits`);
      return [{ stream, type: 'PrincipalLimitsCleared', data: { id } }];
  }
}

const isSame = (held: Limits | null, given: Limits): boolean =>
  held !== null &&
  held.requestsPerMin === given.requestsPerMin &&
  held.tokensPerMin === given.tokensPerMin;
