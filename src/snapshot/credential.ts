// Chooses the credential for a provider: its own secret, or the access token that the control plane
// obtained for its key file (Gateway rule 15). A snapshot never contains the key file.

import type { Snapshot, SnapshotProvider } from './schema.ts';

/**
 * `credential` null: the provider needs none. `reason`: why it is unavailable; the provider's
 * backends are then not used.
 */
export type FoundCredential =
  | Readonly<{ credential: string | null }>
  | Readonly<{ reason: string }>;

export function credentialsOf(
  snapshot: Pick<Snapshot, 'secrets' | 'overlay'>,
): (provider: SnapshotProvider) => FoundCredential {
  const { secrets, overlay } = snapshot;
  const tokens = new Map(overlay.tokens.map((one) => [one.provider_id, one.token]));
  const reasons = new Map(overlay.dropped_providers.map((one) => [one.provider_id, one.reason]));
  return ({ id, name, credential_kind: kind, credential_ref: ref }) => {
    const reason = reasons.get(id);
    if (reason !== undefined) return { reason: `provider ${name} is out of routing: ${reason}` };
    if (ref === null) return { credential: null };
    const credential = kind === 'static' ? secrets[ref] : tokens.get(id);
    if (credential === undefined)
      return { reason: `the credential of provider ${name} is missing` };
    return { credential };
  };
}
