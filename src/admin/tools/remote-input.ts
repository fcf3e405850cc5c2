// How MCP servers and A2A agents are written on the wire, and what is asked of their address and credential.

import { z } from 'zod';

import type { StoredCredential } from '../../../events/provider.ts';
import type { Remote } from '../../../events/remote.ts';
import { unfitAddress } from '../../control/providers/endpoint.ts';
import type { Secret } from '../../db/vault.ts';
import { credentialField, descriptionField } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Control } from '../control.ts';
import { endpointFields, vaultedCredential } from '../providers/provider-input.ts';

/** It is half of a tool's qualified name, and a part of a path. */
const remoteName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, - and _ alone');
const urlField = z.string().min(1).max(2_000);
const { auth_header, auth_scheme } = endpointFields;

export const remoteCreation = {
  name: remoteName,
  url: urlField,
  description: descriptionField.default(null),
  auth_header,
  /** Null and the empty string send the credential raw. */
  auth_scheme,
  enabled: z.boolean().default(true),
  upstream_api_key: credentialField.optional(),
};

export const remoteChange = {
  name: remoteName.optional(),
  url: urlField.optional(),
  description: descriptionField.optional(),
  auth_header,
  auth_scheme,
  enabled: z.boolean().optional(),
  /** Null clears it, and so does the empty string. */
  upstream_api_key: credentialField.nullable().optional(),
  /** Says that the stored credential may be sent to another origin. */
  keep_credential: z.boolean().default(false),
};

export const remoteRecord = {
  name: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  auth_header: z.string(),
  /** Null sends the credential raw. */
  auth_scheme: z.string().nullable(),
  enabled: z.boolean(),
  has_upstream_api_key: z.boolean(),
  /** The same, under the name by which other clients of these routes read it. */
  credential_set: z.boolean(),
};

export const toRemoteRecord = <Row extends Readonly<{ has_upstream_api_key: boolean }>>(
  row: Row,
) => ({ ...row, credential_set: row.has_upstream_api_key });

type GivenFields = Readonly<{
  url?: string | undefined;
  auth_header?: string | undefined;
  auth_scheme?: string | null | undefined;
  upstream_api_key?: string | null | undefined;
}>;

/** `credential` undefined was not sent; null clears it. */
export type RemoteInput = Readonly<{
  fields: Partial<Pick<Remote, 'url' | 'auth_header' | 'auth_scheme'>>;
  credential: StoredCredential | null | undefined;
  secrets: readonly Secret[];
}>;

/** The fields as they are kept, and the credential on its way into the vault. Dials nothing. */
export async function readRemote(
  control: Control,
  { url, auth_header, auth_scheme, upstream_api_key }: GivenFields,
): Promise<RemoteInput | Refusal> {
  const refusal = url === undefined ? null : await refuseAddress(control, url);
  if (refusal !== null) return refusal;
  const given = { upstream_api_key: upstream_api_key ?? '', kind: 'static' } as const;
  const vaulted = vaultedCredential(control, given);
  if (isRefusal(vaulted)) return vaulted;
  return {
    fields: {
      ...(url === undefined ? {} : { url: new URL(url).href }),
      ...(auth_header === undefined ? {} : { auth_header: auth_header.toLowerCase() }),
      ...(auth_scheme === undefined
        ? {}
        : { auth_scheme: auth_scheme === '' ? null : auth_scheme }),
    },
    credential: upstream_api_key === undefined ? undefined : (vaulted?.stored ?? null),
    secrets: vaulted === null ? [] : [vaulted.secret],
  };
}

async function refuseAddress(control: Control, url: string): Promise<Refusal | null> {
  const unfit = unfitAddress(url);
  if (unfit !== null) return refuse('invalid', `url ${unfit}`, { param: 'url' });
  const refusal = await control.checkAddress(url);
  if (refusal === null || refusal.refused !== 'invalid') return refusal;
  return refuse('invalid', `url: ${refusal.message}`, { param: 'url' });
}

/** What is not given at the creation. */
export const remoteDefaults = { auth_header: 'authorization', auth_scheme: 'Bearer' };
