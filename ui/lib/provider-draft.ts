// The form of a provider: how it is filled from the catalogue or from a record, and what of it is sent. A field that is not sent is
// left as it is; the credential is kept, set or cleared, each by its own choice.

export type CredentialChoice = 'keep' | 'set' | 'clear';

export type ProviderDraft = Readonly<{
  name: string;
  /** Empty is none. */
  catalogueKey: string;
  apiBase: string;
  protocol: string;
  authHeader: string;
  /** Empty sends the credential raw. */
  authScheme: string;
  credentialKind: string;
  credential: CredentialChoice;
  key: string;
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
}>;

export const blankDraft: ProviderDraft = {
  name: '',
  catalogueKey: '',
  apiBase: '',
  protocol: 'openai',
  authHeader: 'authorization',
  authScheme: 'Bearer',
  credentialKind: 'static',
  credential: 'set',
  key: '',
};

/** What was typed as a name or a key stays. */
export const fromCatalogue = (draft: ProviderDraft, entry: CatalogueEntry): ProviderDraft => ({
  ...draft,
  catalogueKey: entry.key,
  apiBase: entry.base_url,
  protocol: entry.protocol,
  authHeader: entry.auth_header,
  authScheme: entry.auth_scheme ?? '',
  credentialKind: entry.credential_kinds[0] ?? 'static',
});

export const fromProvider = (provider: Provider): ProviderDraft => ({
  name: provider.name,
  catalogueKey: provider.catalogue_key ?? '',
  apiBase: provider.api_base,
  protocol: provider.protocol,
  authHeader: provider.auth_header,
  authScheme: provider.auth_scheme ?? '',
  credentialKind: provider.credential_kind,
  credential: 'keep',
  key: '',
});

const endpointOf = (draft: ProviderDraft) => ({
  api_base: draft.apiBase.trim(),
  protocol: draft.protocol,
  auth_header: draft.authHeader.trim(),
  auth_scheme: draft.authScheme.trim() === '' ? null : draft.authScheme.trim(),
});

/** The body of a creation. */
export const providerBody = (draft: ProviderDraft) => ({
  ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
  ...(draft.catalogueKey === '' ? {} : { catalogue_key: draft.catalogueKey }),
  ...endpointOf(draft),
  ...(draft.key === ''
    ? {}
    : { upstream_api_key: draft.key, credential_kind: draft.credentialKind }),
});

/** The body of a change: what differs from the record alone. */
export function providerChange(draft: ProviderDraft, provider: Provider) {
  const before = endpointOf(fromProvider(provider));
  const after = endpointOf(draft);
  const name = draft.name.trim();
  return {
    ...(name === provider.name ? {} : { name }),
    ...(after.api_base === before.api_base ? {} : { api_base: after.api_base }),
    ...(after.protocol === before.protocol ? {} : { protocol: after.protocol }),
    ...(after.auth_header === before.auth_header ? {} : { auth_header: after.auth_header }),
    ...(after.auth_scheme === before.auth_scheme ? {} : { auth_scheme: after.auth_scheme }),
    ...credentialOf(draft, provider),
    // Chosen in the form in so many words.
    ...(draft.credential === 'keep' && originOf(after.api_base) !== originOf(before.api_base)
      ? { keep_credential: true }
      : {}),
  };
}

function credentialOf({ credential, key, credentialKind }: ProviderDraft, provider: Provider) {
  switch (credential) {
    case 'keep':
      return {};
    case 'clear':
      return { upstream_api_key: null };
    case 'set':
      return credentialKind === provider.credential_kind
        ? { upstream_api_key: key }
        : { upstream_api_key: key, credential_kind: credentialKind };
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** For the table of what changes: a credential is said to be there, and never shown. */
export function shownChange(body: Readonly<Record<string, unknown>>) {
  const { upstream_api_key: key, ...rest } = body;
  if (key === undefined) return rest;
  return { ...rest, credential: key === null || key === '' ? 'none' : 'a new one' };
}
