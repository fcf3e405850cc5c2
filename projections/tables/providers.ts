// Defines the table of providers. It shows only whether a credential is set.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { flag, integer, readRows } from '../../src/db/rows.ts';
import { providerId } from '../../src/lib/ids.ts';
import { credentialKind, protocol, providerKind } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const providers = {
  name: 'providers',
  version: 2,
  noun: 'provider',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    kind: 'text not null',
    catalogue_key: 'text',
    api_base: 'text not null',
    protocol: 'text not null',
    auth_header: 'text not null',
    auth_scheme: 'text',
    credential_kind: 'text not null',
    credential_ref: 'uuid',
    credential_fingerprint: 'text',
    registered_by: 'bigint',
    node: 'text',
    engine: 'text',
    degraded_since: 'timestamptz',
    degraded_reason: 'text',
  },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const provider = state.provider.byId.get(id);
    if (provider === undefined) return [];
    return [
      {
        id,
        name: provider.name,
        kind: provider.kind,
        catalogue_key: provider.catalogueKey,
        ...provider.endpoint,
        credential_kind: provider.credential?.kind ?? 'static',
        credential_ref: provider.credential?.ref ?? null,
        credential_fingerprint: provider.credential?.fingerprint ?? null,
        registered_by: provider.registration?.principalId ?? null,
        node: provider.registration?.node ?? null,
        engine: provider.registration?.engine ?? null,
        degraded_since: provider.degraded === null ? null : rfc3339(provider.degraded.since),
        degraded_reason: provider.degraded?.reason ?? null,
      },
    ];
  },
} satisfies EntityTable;

const providerRow = rowOf(providers.columns)
  .omit({ credential_ref: true, credential_fingerprint: true, registered_by: true })
  .extend({
    id: providerId,
    kind: providerKind,
    protocol,
    credential_kind: credentialKind,
    has_upstream_api_key: flag,
    model_count: integer,
  });
export type ProviderRow = Readonly<z.output<typeof providerRow>>;

/** Sorted by name. */
export const listProviders = (db: Queryable, page: Page<string>): Promise<ProviderRow[]> =>
  readRows(db, providerRow)`
    select providers.id, providers.name, kind, catalogue_key, api_base, protocol, auth_header,
      auth_scheme, credential_kind, credential_ref is not null as has_upstream_api_key,
      node, engine, degraded_since, degraded_reason,
      (select count(*) from models where models.provider_id = providers.id) as model_count
    from providers
    where ${page.after}::text is null or providers.name > ${page.after}
    order by providers.name limit ${page.limit}`;
