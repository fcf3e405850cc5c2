// Reads the form of a provider, filled from the catalog or a record. Omitted fields are unchanged.

import {
  blankCredential,
  fromCredential,
  headerBody,
  credentialBody,
  credentialChange,
} from './credential-draft.ts';
import type { CredentialDraft } from './credential-draft.ts';
import { differing } from '../saves/draft.ts';

export type ProviderDraft = CredentialDraft &
  Readonly<{
    name: string;
    /** Empty for none. */
    catalogue_key: string;
    api_base: string;
    protocol: string;
    credential_kind: string;
  }>;

type CatalogueEntry = Readonly<{
  key: string;
  display_name: string;
  base_url: string;
  protocol: string;
  auth_header: string;
  auth_scheme: string | null;
  credential_kinds: readonly string[];
}>;

type Provider = Readonly<{
  name: string;
  catalogue_key: string | null;
  api_base: string;
  protocol: string;
  auth_header: string;
  auth_scheme: string | null;
  credential_kind: string;
  has_upstream_api_key: boolean;
}>;

export const blankDraft: ProviderDraft = {
  ...blankCredential,
  name: '',
  catalogue_key: '',
  api_base: '',
  protocol: 'openai',
  credential_kind: 'static',
};

/** Keeps a typed name and key. */
export const fromCatalogue = (draft: ProviderDraft, entry: CatalogueEntry): ProviderDraft => ({
  ...draft,
  catalogue_key: entry.key,
  api_base: entry.base_url,
  protocol: entry.protocol,
  auth_header: entry.auth_header,
  auth_scheme: entry.auth_scheme ?? '',
  credential_kind: entry.credential_kinds[0] ?? 'static',
});

export const fromProvider = (provider: Provider): ProviderDraft => ({
  ...fromCredential(provider),
  name: provider.name,
  catalogue_key: provider.catalogue_key ?? '',
  api_base: provider.api_base,
  protocol: provider.protocol,
  credential_kind: provider.credential_kind,
});

const endpointOf = (draft: ProviderDraft) => ({
  api_base: draft.api_base.trim(),
  protocol: draft.protocol,
  ...headerBody(draft),
});

export const providerBody = (draft: ProviderDraft) => ({
  ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
  ...(draft.catalogue_key === '' ? {} : { catalogue_key: draft.catalogue_key }),
  ...endpointOf(draft),
  ...credentialBody(draft),
  ...(draft.upstream_api_key === '' ? {} : { credential_kind: draft.credential_kind }),
});

/** Only changed fields. */
export function providerChange(draft: ProviderDraft, provider: Provider) {
  const after = { name: draft.name.trim(), ...endpointOf(draft) };
  const { credential_kind } = draft;
  const isOfKind = draft.credential !== 'set' || credential_kind === provider.credential_kind;
  const isMoved =
    provider.has_upstream_api_key && originOf(after.api_base) !== originOf(provider.api_base);
  return {
    ...differing(after, provider),
    ...credentialChange(draft, isMoved),
    ...(isOfKind ? {} : { credential_kind }),
  };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
