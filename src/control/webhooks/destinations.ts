// Reads webhook endpoints from the configuration, and their addresses and secrets from the vault.

import type { WebhookEndpoint } from '../../../projections/config/webhook-endpoint.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ControlPlane } from '../plane.ts';
import type { Destination } from './deliver.ts';
import type { Endpoints } from './outbox.ts';

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'reports' | 'vault' | 'store' | 'refresh'>;
  clock: Clock;
}>;

export function createEndpoints({ plane, clock }: Dependencies): Endpoints {
  const { reports, vault, store, refresh } = plane;
  return {
    list: async () => {
      await refresh();
      return [...store.state().webhook_endpoint.byId.values()].map(({ id, enabled, types }) => ({
        id,
        isEnabled: enabled,
        types,
      }));
    },
    destination: async (id) => {
      const endpoint = store.state().webhook_endpoint.byId.get(id);
      if (endpoint === undefined || !endpoint.enabled) return null;
      const refs = secretRefs(endpoint, clock());
      const plaintexts = await vault.reveal(reports, [endpoint.address.ref, ...refs]);
      return destinationOf(endpoint, plaintexts, refs);
    },
  };
}

/** The current secret first. A replaced one counts until it expires. */
const secretRefs = ({ secret, replacedSecret }: WebhookEndpoint, now: number): string[] => [
  ...(secret === null ? [] : [secret.ref]),
  ...(replacedSecret !== null && now < Date.parse(replacedSecret.expires_at)
    ? [replacedSecret.ref]
    : []),
];

/** Null if the address or the current secret cannot be read; the vault reports that. */
function destinationOf(
  { address, format, secret }: WebhookEndpoint,
  plaintexts: ReadonlyMap<string, string>,
  refs: readonly string[],
): Destination | null {
  const url = plaintexts.get(address.ref);
  if (url === undefined) return null;
  if (secret !== null && !plaintexts.has(secret.ref)) return null;
  const secrets = refs.flatMap((ref) => plaintexts.get(ref) ?? []);
  if (format === 'standard') return { url, format, secrets, routingKey: null };
  return { url, format, secrets: [], routingKey: secrets[0] ?? null };
}
