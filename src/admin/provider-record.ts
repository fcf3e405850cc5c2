// The record of a provider. Of its credential it says only that one is set.

import { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
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
});
export type ProviderRecord = z.input<typeof providerRecord>;

export function providerRecordIn(state: ConfigState, id: number): ProviderRecord {
  const provider = written(state.provider, id);
  const models = [...state.model.byId.values()];
  return {
    id: provider.id,
    name: provider.name,
    kind: provider.kind,
    catalogue_key: provider.catalogueKey,
    ...provider.endpoint,
    credential_kind: provider.credential?.kind ?? 'static',
    has_upstream_api_key: provider.credential !== null,
    model_count: models.filter(({ backend }) => backend?.providerId === id).length,
  };
}
