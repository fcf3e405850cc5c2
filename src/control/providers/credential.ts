// Prepares a credential of a provider, MCP server or A2A agent for the vault.

import type { StoredCredential } from '../../../events/provider.ts';
import type { Secret, Vault } from '../../db/vault.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import { unfitCredential } from './endpoint.ts';
import type { DialTarget } from './verify-provider.ts';

export type Vaulting = Readonly<{ vault: Pick<Vault, 'fingerprint'>; newId: () => string }>;

export type VaultedCredential = Readonly<{
  stored: StoredCredential;
  plaintext: string;
  secret: Secret;
}>;

type GivenCredential = Readonly<{
  upstream_api_key?: string | undefined;
  credential_kind?: CredentialKind | undefined;
  kind: CredentialKind;
}>;

const keyFileKind = 'cloud_service_account';
const missingKeyFile = refuse(
  'invalid',
  `upstream_api_key is missing: credential_kind ${keyFileKind} needs a key file`,
  { param: 'upstream_api_key' },
);

/**
 * An empty string clears the credential. A request with the kind of a key file must include one.
 */
export function vaultedCredential(
  { vault, newId }: Vaulting,
  given: GivenCredential,
): VaultedCredential | Refusal | null {
  const { upstream_api_key: plaintext = '', kind } = given;
  if (plaintext === '') return given.credential_kind === keyFileKind ? missingKeyFile : null;
  const unfit = unfitCredential(kind, plaintext);
  if (unfit !== null) return unfit;
  const ref = newId();
  return {
    stored: { kind, ref, fingerprint: vault.fingerprint(plaintext) },
    plaintext,
    secret: { ref, class: 'credential', plaintext },
  };
}

export const secretsOf = (credential: VaultedCredential | null): readonly Secret[] =>
  credential === null ? [] : [credential.secret];

export const dialled = (credential: VaultedCredential | null): DialTarget['credential'] =>
  credential === null ? null : { kind: credential.stored.kind, plaintext: credential.plaintext };
