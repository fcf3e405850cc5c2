// How a provider's endpoint and credential are written on the wire, and how a credential goes into the vault.

import type { StoredCredential } from '../../../events/provider.ts';
import { unfitCredential } from '../../control/providers/endpoint.ts';
import type { Secret } from '../../db/vault.ts';
import {
  apiBaseField,
  authHeaderField,
  authSchemeField,
  credentialField,
} from '../../lib/fields.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import type { Control } from '../control.ts';
import { credentialKindField, protocolField } from '../http/fields.ts';

export const endpointFields = {
  api_base: apiBaseField.optional(),
  protocol: protocolField.optional(),
  auth_header: authHeaderField.optional(),
  auth_scheme: authSchemeField.nullable().optional(),
  upstream_api_key: credentialField.optional(),
  credential_kind: credentialKindField.optional(),
};

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
  { vault, newId }: Pick<Control, 'vault' | 'newId'>,
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
