// How a provider's endpoint and credential are written on the wire, and how a credential goes into the vault.

import { z } from 'zod';

import type { StoredCredential } from '../../events/provider.ts';
import { unfitCredential } from '../control/endpoint.ts';
import type { Secret } from '../db/vault.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { CredentialKind } from '../lib/vocabulary.ts';
import type { Control } from './control.ts';
import { credentialKindField, protocolField } from './fields.ts';

/** Headers that frame a message or belong to the connection; a credential there would break the request. */
const reservedHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|expect|accept.*|cookie)$/i;

export const credentialField = z.string().max(100_000);

export const endpointFields = {
  api_base: z.string().min(1).max(2_000).optional(),
  protocol: protocolField.optional(),
  auth_header: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
    .refine((name) => !reservedHeaders.test(name), 'is a header that cannot carry a credential')
    .optional(),
  auth_scheme: z
    .string()
    .max(100)
    .regex(/^[\w.~+/-]*$/, 'must be one word')
    .nullable()
    .optional(),
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
