// A credential on its way into the vault, for whatever is dialled with one: providers, MCP servers, A2A agents.

import type { StoredCredential } from '../../../events/provider.ts';
import type { Secret, Vault } from '../../db/vault.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import { unfitCredential } from './endpoint.ts';
import type { DialTarget } from './verify-provider.ts';

/** What gives a secret its place in the vault. */
export type Vaulting = Readonly<{ vault: Pick<Vault, 'fingerprint'>; newId: () => string }>;

export type VaultedCredential = Readonly<{
  stored: StoredCredential;
  plaintext: string;
  secret: Secret;
}>;

type GivenCredential = Readonly<{
  upstream_api_key?: string | undefined;
  /** As it was sent. */
  credential_kind?: CredentialKind | undefined;
  /** What it comes to. */
  kind: CredentialKind;
}>;

const keyFileKind = 'cloud_service_account';
const missingKeyFile = refuse(
  'invalid',
  `upstream_api_key is missing: credential_kind ${keyFileKind} needs a key file`,
  { param: 'upstream_api_key' },
);

/** The empty string is no credential; who says that it is a key file must send one. */
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

/** In clear, as it is dialled with. */
export const dialled = (credential: VaultedCredential | null): DialTarget['credential'] =>
  credential === null ? null : { kind: credential.stored.kind, plaintext: credential.plaintext };
