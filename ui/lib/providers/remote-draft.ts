// Reads the form of an MCP server or agent. Untouched fields are omitted.

import {
  blankCredential,
  fromCredential,
  headerBody,
  credentialBody,
  credentialChange,
} from './credential-draft.ts';
import type { CredentialDraft } from './credential-draft.ts';
import { differing, textOrNull } from '../saves/draft.ts';

export type RemoteDraft = CredentialDraft &
  Readonly<{
    name: string;
    url: string;
    /** The transport of a server, or the protocol version of an agent. */
    dialect: string;
    description: string;
    enabled: boolean;
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
  ...blankCredential,
  name: '',
  url: '',
  dialect,
  description: '',
  enabled: true,
});

export const fromRemote = (remote: Remote, dialect: string): RemoteDraft => ({
  ...fromCredential(remote),
  name: remote.name,
  url: remote.url,
  dialect,
  description: remote.description ?? '',
  enabled: remote.enabled,
});

/** Without the dialect and the credential. */
const detailsOf = (draft: RemoteDraft) => ({
  name: draft.name.trim(),
  url: draft.url.trim(),
  description: textOrNull(draft.description),
  enabled: draft.enabled,
  ...headerBody(draft),
});

export const remoteBody = (draft: RemoteDraft) => ({
  ...detailsOf(draft),
  ...credentialBody(draft),
});

export type RemoteChange = ReturnType<typeof remoteChange>;

export function remoteChange(draft: RemoteDraft, remote: Remote) {
  const after = detailsOf(draft);
  const isMoved = remote.has_upstream_api_key && after.url !== remote.url;
  return { ...differing(after, remote), ...credentialChange(draft, isMoved) };
}
