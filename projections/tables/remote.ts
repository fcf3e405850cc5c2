// Defines the columns that the tables of MCP servers and A2A agents share. Rows show only whether a
// credential is set.

import type { StoredCredential } from '../../events/provider.ts';
import type { Remote } from '../../events/remote.ts';

export const remoteColumns = {
  id: 'bigint not null',
  name: 'text not null',
  url: 'text not null',
  description: 'text',
  auth_header: 'text not null',
  auth_scheme: 'text',
  enabled: 'boolean not null',
  credential_ref: 'uuid',
  credential_fingerprint: 'text',
} as const;

type Held<Details extends Remote> = Readonly<{
  id: number;
  details: Details;
  credential: StoredCredential | null;
}>;

export const remoteRow = <Details extends Remote>({ id, details, credential }: Held<Details>) => ({
  id,
  ...details,
  credential_ref: credential?.ref ?? null,
  credential_fingerprint: credential?.fingerprint ?? null,
});
