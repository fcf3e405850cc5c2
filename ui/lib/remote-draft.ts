// The form of an MCP server or an agent, and what of it is sent. A field that was not touched is not; the credential is kept, set or
// cleared, each by its own choice.

export type RemoteDraft = Readonly<{
  name: string;
  url: string;
  /** The transport of a server, the protocol version of an agent. */
  dialect: string;
  description: string;
  enabled: boolean;
  authHeader: string;
  /** Empty sends the credential raw. */
  authScheme: string;
  credential: 'keep' | 'set' | 'clear';
  key: string;
}>;

export type Remote = Readonly<{
  id: number;
  version: number;
  name: string;
  url: string;
  description: string | null;
  auth_header: string;
  auth_scheme: string | null;
  enabled: boolean;
  has_upstream_api_key: boolean;
}>;

export const blankRemote = (dialect: string): RemoteDraft => ({
  name: '',
  url: '',
  dialect,
  description: '',
  enabled: true,
  authHeader: 'authorization',
  authScheme: 'Bearer',
  credential: 'set',
  key: '',
});

export const fromRemote = (remote: Remote, dialect: string): RemoteDraft => ({
  name: remote.name,
  url: remote.url,
  dialect,
  description: remote.description ?? '',
  enabled: remote.enabled,
  authHeader: remote.auth_header,
  authScheme: remote.auth_scheme ?? '',
  credential: 'keep',
  key: '',
});

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** What is shown of it, and sent: all but the dialect, whose field the kind names, and the credential. */
const detailsOf = (draft: RemoteDraft) => ({
  name: draft.name.trim(),
  url: draft.url.trim(),
  description: textOrNull(draft.description),
  enabled: draft.enabled,
  auth_header: draft.authHeader.trim(),
  auth_scheme: textOrNull(draft.authScheme),
});

export const remoteBody = (draft: RemoteDraft) => ({
  ...detailsOf(draft),
  ...(draft.key === '' ? {} : { upstream_api_key: draft.key }),
});

type Details = ReturnType<typeof detailsOf>;
export type RemoteChange = Partial<Details> &
  Readonly<{ upstream_api_key?: string | null; keep_credential?: boolean }>;

export function remoteChange(draft: RemoteDraft, remote: Remote): RemoteChange {
  const before = detailsOf(fromRemote(remote, draft.dialect));
  const after = detailsOf(draft);
  const { credential, key } = draft;
  return {
    ...(after.name === before.name ? {} : { name: after.name }),
    ...(after.url === before.url ? {} : { url: after.url }),
    ...(after.description === before.description ? {} : { description: after.description }),
    ...(after.enabled === before.enabled ? {} : { enabled: after.enabled }),
    ...(after.auth_header === before.auth_header ? {} : { auth_header: after.auth_header }),
    ...(after.auth_scheme === before.auth_scheme ? {} : { auth_scheme: after.auth_scheme }),
    ...(credential === 'keep' ? {} : { upstream_api_key: credential === 'set' ? key : null }),
    // Chosen in the form in so many words.
    ...(credential === 'keep' && remote.has_upstream_api_key && after.url !== before.url
      ? { keep_credential: true }
      : {}),
  };
}

/** For the table of what changes: a credential is said to be there, and never shown. */
export function shownRemoteChange({
  upstream_api_key: key,
  keep_credential,
  ...rest
}: RemoteChange) {
  const credential =
    key === undefined
      ? keep_credential === true
        ? 'kept, sent to the new address'
        : null
      : key === null || key === ''
        ? 'none'
        : 'a new one';
  return credential === null ? rest : { ...rest, credential };
}
