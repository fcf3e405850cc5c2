// Prepares the mutations of MCP servers and A2A agents: checks the address without dialling it, and
// moves the credential to the vault.

import type { RemoteNoun } from '../../../events/nouns.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import type { Remote } from '../../../events/remote.ts';
import type { Secret } from '../../db/vault.ts';
import { remoteCommand } from '../../deciders/remote.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Mutation } from '../commands/execute.ts';
import type { CheckAddress } from './address-check.ts';
import { secretsOf, vaultedCredential } from './credential.ts';
import type { Vaulting } from './credential.ts';
import { unfitAddress } from './endpoint.ts';

export type RemoteTools = Vaulting & Readonly<{ checkAddress: CheckAddress }>;

/** Null or an empty string clears a credential. */
type GivenRemote = Readonly<
  { [Field in keyof Remote]?: Remote[Field] | undefined } & {
    upstream_api_key?: string | null | undefined;
  }
>;

type Creation = GivenRemote & Omit<Remote, 'auth_header' | 'auth_scheme'>;

export async function remoteCreation(
  tools: RemoteTools,
  noun: RemoteNoun,
  { auth_header = 'authorization', auth_scheme = 'Bearer', ...given }: Creation,
): Promise<Mutation | Refusal> {
  const read = await readRemote(tools, { auth_header, auth_scheme, ...given });
  if (isRefusal(read)) return read;
  const { secrets, details, credential = null } = read;
  return { command: remoteCommand(noun, 'Create', { details, credential }), secrets };
}

export async function remoteUpdate(
  tools: RemoteTools,
  noun: RemoteNoun,
  { id, keep_credential: keepCredential, ...given }: Update,
): Promise<Mutation | Refusal> {
  const read = await readRemote(tools, given);
  if (isRefusal(read)) return read;
  const { secrets, ...change } = read;
  return { command: remoteCommand(noun, 'Update', { id, ...change, keepCredential }), secrets };
}
type Update = GivenRemote & Readonly<{ id: number; keep_credential: boolean }>;

export const remoteDeletion = (noun: RemoteNoun, id: number): Mutation => ({
  command: remoteCommand(noun, 'Delete', { id }),
});

/** `credential` is undefined if it was not sent. Null clears it. */
type ReadRemote<Given> = Readonly<{
  details: Omit<Given, 'upstream_api_key'>;
  credential: StoredCredential | null | undefined;
  secrets: readonly Secret[];
}>;

async function readRemote<Given extends GivenRemote>(
  tools: RemoteTools,
  { upstream_api_key, ...given }: Given,
): Promise<ReadRemote<Given> | Refusal> {
  const { url, auth_header, auth_scheme } = given;
  const refusal = url === undefined ? null : await refuseAddress(tools, url);
  if (refusal !== null) return refusal;
  const key = { upstream_api_key: upstream_api_key ?? '', kind: 'static' } as const;
  const vaulted = vaultedCredential(tools, key);
  if (isRefusal(vaulted)) return vaulted;
  return {
    details: {
      ...given,
      ...(url === undefined ? {} : { url: new URL(url).href }),
      ...(auth_header === undefined ? {} : { auth_header: auth_header.toLowerCase() }),
      ...(auth_scheme === '' ? { auth_scheme: null } : {}),
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
