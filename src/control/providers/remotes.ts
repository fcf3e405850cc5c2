// The address and the credential of an MCP server or an A2A agent, on their way into a mutation. Nothing is dialled.

import type { StoredCredential } from '../../../events/provider.ts';
import type { Remote } from '../../../events/remote.ts';
import type { Secret } from '../../db/vault.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CheckAddress } from './address-check.ts';
import { secretsOf, vaultedCredential } from './credential.ts';
import type { Vaulting } from './credential.ts';
import { unfitAddress } from './endpoint.ts';

export type RemoteTools = Vaulting & Readonly<{ checkAddress: CheckAddress }>;

/** As the wire spells it. */
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

export async function readRemote(
  tools: RemoteTools,
  { url, auth_header, auth_scheme, upstream_api_key }: GivenFields,
): Promise<RemoteInput | Refusal> {
  const refusal = url === undefined ? null : await refuseAddress(tools, url);
  if (refusal !== null) return refusal;
  const given = { upstream_api_key: upstream_api_key ?? '', kind: 'static' } as const;
  const vaulted = vaultedCredential(tools, given);
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
    secrets: secretsOf(vaulted),
  };
}

async function refuseAddress({ checkAddress }: RemoteTools, url: string): Promise<Refusal | null> {
  const unfit = unfitAddress(url);
  if (unfit !== null) return refuse('invalid', `url ${unfit}`, { param: 'url' });
  const refusal = await checkAddress(url);
  if (refusal === null || refusal.refused !== 'invalid') return refusal;
  return refuse('invalid', `url: ${refusal.message}`, { param: 'url' });
}
