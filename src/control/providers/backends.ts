// Attaches a model to an existing provider, or to the provider at an endpoint, which is created if
// it does not exist.

import { decide } from '../../deciders/decide.ts';
import type { BackendTarget } from '../../deciders/model.ts';
import type { ModelId, ProviderId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Configuration } from '../commands/configuration.ts';
import type { Mutation } from '../commands/execute.ts';
import { dialled, secretsOf, vaultedCredential } from './credential.ts';
import type { VaultedCredential } from './credential.ts';
import { verify } from './dial-target.ts';
import { completeEndpoint } from './endpoint.ts';
import type { GivenEndpoint } from './endpoint.ts';
import type { ProviderTools } from './providers.ts';

type Attachment = GivenEndpoint &
  Readonly<{
    provider_id?: ProviderId | undefined;
    upstream_api_key?: string | undefined;
    upstream_model?: string | undefined;
    default_max_tokens: number | null;
  }>;

export async function attachBackend(
  tools: Omit<ProviderTools, 'db'>,
  { state, refresh }: Pick<Configuration, 'state' | 'refresh'>,
  { id, given }: Readonly<{ id: ModelId; given: Attachment }>,
): Promise<Mutation | Refusal> {
  const kind = given.credential_kind ?? 'static';
  const credential = vaultedCredential(tools, { ...given, kind });
  if (isRefusal(credential)) return credential;
  const target = targetOf(given, credential);
  if (isRefusal(target)) return target;
  const command = {
    type: 'AttachBackend',
    id,
    target,
    upstreamModel: given.upstream_model ?? null,
    defaultMaxTokens: given.default_max_tokens,
  } as const;
  await refresh();
  const decision = decide(state(), command);
  if (isRefusal(decision)) return decision;
  const mutation = { command, secrets: secretsOf(credential) };
  if ('providerId' in target) return mutation;
  // An existing provider was verified before. If it is deleted before the change, no unverified one
  // must be created.
  if (decision.every(({ type }) => type !== 'ProviderCreated')) {
    return { ...mutation, command: { ...command, target: { ...target, answered: false } } };
  }
  const { endpoint } = target;
  const dial = { endpoint, credential: dialled(credential), catalogueKey: null };
  return (await verify(tools, dial)) ?? mutation;
}

const endpointNames = [
  'api_base',
  'protocol',
  'auth_header',
  'auth_scheme',
  'upstream_api_key',
  'credential_kind',
] as const;

function targetOf(
  given: Attachment,
  credential: VaultedCredential | null,
): BackendTarget | Refusal {
  if (given.provider_id !== undefined) {
    const clash = endpointNames.find((name) => given[name] !== undefined);
    if (clash === undefined) return { providerId: given.provider_id };
    return refuse('invalid', `${clash} cannot be combined with provider_id`, { param: clash });
  }
  if (given.api_base === undefined) {
    return refuse('invalid', 'provider_id or api_base is required', { param: 'provider_id' });
  }
  const endpoint = completeEndpoint(given, null);
  if (isRefusal(endpoint)) return endpoint;
  const defaultName = new URL(endpoint.api_base).host;
  return { endpoint, credential: credential?.stored ?? null, defaultName, answered: true };
}
