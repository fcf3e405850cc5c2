// Restores webhook endpoints. A secret that was rotated does not sign again, because someone
// replaced it deliberately.

import type { WebhookEndpoint } from '../../../projections/config/webhook-endpoint.ts';
import { createdAs, setAllFields } from '../set-fields.ts';
import type { Loss, Restoring } from './kind.ts';

export const webhookEndpoints: Restoring<WebhookEndpoint> = {
  attainable: (wanted, held, { erased }) => {
    const isAddressErased = erased.has(wanted.address.ref);
    if (held === undefined) {
      const isSecretErased = wanted.secret !== null && erased.has(wanted.secret.ref);
      const losses: readonly Loss[] = [
        ...(isAddressErased ? [{ field: 'address', reason: 'erased' } as const] : []),
        ...(isSecretErased ? [{ field: 'secret', reason: 'erased' } as const] : []),
      ];
      return { goal: losses.length === 0 ? wanted : null, losses };
    }
    // A PagerDuty key is sent to the address, so it stays with its origin.
    const isMoved = wanted.format === 'pagerduty' && wanted.address.origin !== held.address.origin;
    const { secret, replacedSecret } = held;
    const isSame = wanted.secret?.ref === secret?.ref;
    return {
      goal: {
        ...wanted,
        address: isAddressErased || isMoved ? held.address : wanted.address,
        secret,
        replacedSecret,
      },
      losses: [
        ...(isAddressErased ? [{ field: 'address', reason: 'erased' } as const] : []),
        ...(isMoved && !isAddressErased ? [{ field: 'address', reason: 'replaced' } as const] : []),
        ...(isSame ? [] : [{ field: 'secret', reason: 'replaced' } as const]),
        ...replaced(wanted, replacedSecret),
      ],
    };
  },
  created: (goal) => {
    const event = createdAs('webhook_endpoint', goal);
    const { replacedSecret } = goal;
    if (replacedSecret === null) return [event];
    return [event, ...setAllFields('webhook_endpoint', { ...goal, replacedSecret: null }, goal)];
  },
  changed: (held, goal) => setAllFields('webhook_endpoint', held, goal),
};

const replaced = (
  wanted: WebhookEndpoint,
  kept: WebhookEndpoint['replacedSecret'],
): readonly Loss[] =>
  wanted.replacedSecret?.ref === kept?.ref && wanted.replacedSecret?.expires_at === kept?.expires_at
    ? []
    : [{ field: 'replaced_secret', reason: 'replaced' }];
