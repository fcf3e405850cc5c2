// The record of a provider. Of its credential it says only that one is set; a dynamic one has a lease, held by the agent of a node.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ProviderRow } from '../../projections/tables/providers.ts';
import { readLeases } from '../db/leases.ts';
import type { Lease } from '../db/leases.ts';
import { timestamp } from '../lib/fields.ts';
import { providerId } from '../lib/ids.ts';
import { credentialKind, protocol, providerKind } from '../lib/vocabulary.ts';
import { written } from './mutation.ts';

export const providerRecord = z.object({
  id: providerId,
  name: z.string(),
  kind: providerKind,
  catalogue_key: z.string().nullable(),
  api_base: z.string(),
  protocol,
  auth_header: z.string(),
  /** Null sends the credential raw. */
  auth_scheme: z.string().nullable(),
  credential_kind: credentialKind,
  has_upstream_api_key: z.boolean(),
  model_count: z.int(),
  /** The four that follow are of the lease; null without one. */
  node: z.string().nullable(),
  /** A hint only. */
  engine: z.string().nullable(),
  ttl_seconds: z.int().nullable(),
  /** Null has not lapsed. */
  lease_expires_at: timestamp.nullable(),
});
export type ProviderRecord = z.input<typeof providerRecord>;

export const toProviderRecord = (row: ProviderRow, lease: Lease | undefined): ProviderRecord => ({
  ...row,
  node: lease?.node ?? null,
  engine: lease?.engine ?? null,
  ttl_seconds: lease?.ttlSeconds ?? null,
  lease_expires_at: lease === undefined ? null : lease.expiresAt.toISOString(),
});

/** The record of a provider that the state holds; `tx` reads its lease. */
export async function providerRecordIn(
  { state, tx }: Readonly<{ state: ConfigState; tx: Queryable }>,
  id: number,
): Promise<ProviderRecord> {
  const provider = written(state.provider, id);
  const row = rowIn(provider, modelCounts(state));
  return toProviderRecord(row, (await readLeases(tx, [provider.id])).get(provider.id));
}

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
  model_count: models.get(provider.id)?.length ?? 0,
});
