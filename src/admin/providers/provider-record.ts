// Builds the record of a provider, which states only whether a credential is set. The node of an
// agent holds the lease of a dynamic provider.

import { z } from 'zod';

import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { ProviderRow } from '../../../projections/tables/providers.ts';
import type { ProviderStatus } from '../../control/providers/provider-status.ts';
import { timestamp } from '../../lib/fields.ts';
import { providerId } from '../../lib/ids.ts';
import { credentialKind, protocol, providerKind } from '../../lib/vocabulary.ts';
import { written } from '../http/mutation.ts';

export const providerRecord = z.object({
  id: providerId,
  name: z.string(),
  kind: providerKind,
  catalogue_key: z.string().nullable(),
  api_base: z.string(),
  protocol,
  auth_header: z.string(),
  /** Null sends the credential without a scheme. */
  auth_scheme: z.string().nullable(),
  credential_kind: credentialKind,
  has_upstream_api_key: z.boolean(),
  model_count: z.int(),
  /** The agent's node. Null if no agent registered the provider. */
  node: z.string().nullable(),
  /** Informational. */
  engine: z.string().nullable(),
  /** Null without a lease. */
  ttl_seconds: z.int().nullable(),
  lease_expires_at: timestamp.nullable(),
  /** The last successful health check or registration. */
  last_seen_at: timestamp.nullable(),
  /**
   * Since when the provider does not respond, or serves fewer models than registered. A dynamic
   * provider is then out of rotation; for others this is informational.
   */
  degraded_since: timestamp.nullable(),
  degraded_reason: z.string().nullable(),
});
export type ProviderRecord = z.input<typeof providerRecord>;

export function toProviderRecord(
  row: ProviderRow,
  { leases, probes }: ProviderStatus,
): ProviderRecord {
  const lease = leases.get(row.id);
  const probe = probes.get(row.id);
  const isDynamic = row.kind === 'dynamic';
  return {
    ...row,
    ttl_seconds: lease?.ttlSeconds ?? null,
    lease_expires_at: textOf(lease?.expiresAt),
    last_seen_at: textOf(probe?.lastSeenAt),
    degraded_since: textOf(isDynamic ? row.degraded_since : probe?.failingSince),
    degraded_reason: (isDynamic ? row.degraded_reason : probe?.reason) ?? null,
  };
}

const textOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

export const providerRowIn = (state: ConfigState, id: number): ProviderRow =>
  rowIn(written(state.provider, id), modelCounts(state));

export function providerRowsIn(state: ConfigState): ProviderRow[] {
  const counts = modelCounts(state);
  return [...state.provider.byId.values()].map((provider) => rowIn(provider, counts));
}

const modelCounts = ({ model }: ConfigState): ReadonlyMap<number, readonly unknown[]> =>
  Map.groupBy(model.byId.values(), ({ backend }) => backend?.providerId ?? 0);

const rowIn = (provider: Provider, models: ReturnType<typeof modelCounts>): ProviderRow => ({
  id: provider.id,
  name: provider.name,
  kind: provider.kind,
  catalogue_key: provider.catalogueKey,
  ...provider.endpoint,
  credential_kind: provider.credential?.kind ?? 'static',
  has_upstream_api_key: provider.credential !== null,
  node: provider.registration?.node ?? null,
  engine: provider.registration?.engine ?? null,
  degraded_since: provider.degraded === null ? null : new Date(provider.degraded.since),
  degraded_reason: provider.degraded?.reason ?? null,
  model_count: models.get(provider.id)?.length ?? 0,
});
