// Providers, models, MCP servers and agents as steps of an apply: what has an address, and mostly a credential.

import type { z } from 'zod';

import { agentDetails } from '../../../events/a2a-agent.ts';
import { mcpServerDetails } from '../../../events/mcp-server.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import type { NamedModelStep } from '../../deciders/reconcile/step.ts';
import { flowFields, modelFields } from '../../fields/model.ts';
import { picked } from '../../fields/values.ts';
import { camelKeys } from '../../lib/case.ts';
import { agentId, mcpServerId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import { completeEndpoint, unfitAddress, unfitCredential } from '../providers/endpoint.ts';
import { agent, heldCredential, mcpServer, model, provider } from './format.ts';
import { commandStep, unchangeable } from './putting.ts';
import type { Made, Putting, StepSources } from './putting.ts';
import { givenEndpoint } from './wanted.ts';

const endpointNames = ['api_base', 'protocol', 'auth_header', 'auth_scheme', 'credential_kind'];

export function makeProvider(put: Putting, sources: StepSources): Made | Refusal {
  const { name, id, fields, changes, set } = put;
  const given = provider.parse({ ...fields, name });
  const key = given.catalogue_key ?? null;
  const held = sources.state.provider.byId.get(id ?? 0);
  if (held !== undefined && changes('catalogue_key')) return unchangeable('catalogue_key');
  const entry = key === null ? null : findCatalogueEntry(key);
  if (held === undefined && key !== null && entry === null) {
    const message = `catalogue_key ${key} is not in the catalogue`;
    return refuse('invalid', message, { param: 'catalogue_key' });
  }
  const base =
    held === undefined
      ? entry
      : { ...held.endpoint, credential_kinds: [held.credential?.kind ?? ('static' as const)] };
  const stated = Object.entries(given).filter(([field]) => changes(field));
  const auth = givenEndpoint(Object.fromEntries(stated));
  const endpoint = endpointNames.some(changes) ? completeEndpoint(auth, base) : undefined;
  if (isRefusal(endpoint)) return endpoint;
  const credentialKind = given.credential_kind ?? 'static';
  const asked = { put, list: 'providers', kind: credentialKind, held } as const;
  const credential = credentialOf(asked, sources);
  if (isRefusal(credential)) return credential;
  if (held !== undefined && changes('credential_kind') && credential === undefined) {
    return refuse('invalid', 'credential_kind changes only together with upstream_api_key', {
      param: 'credential_kind',
    });
  }
  const kind = given.kind ?? 'static';
  if (held !== undefined) {
    const change = { name, kind: set('kind', kind), endpoint, credential, keepCredential: false };
    return commandStep(`provider ${name}`, { type: 'UpdateProvider', id: held.id, ...change });
  }
  if (endpoint === undefined) throw new Error(`provider ${name} is made without an endpoint`);
  return commandStep(`provider ${name}`, {
    type: 'CreateProvider',
    name,
    defaultName: name,
    kind,
    catalogueKey: key,
    endpoint,
    credential: credential ?? null,
  });
}

export function makeModel(put: Putting): Made {
  const { name, id, fields, changes, set } = put;
  const { description = null } = model.parse({ ...fields, name });
  return {
    steps: [
      {
        step: 'named_model',
        id,
        name,
        fields: {
          description: set('description', description),
          ...camelKeys(membersThat(picked(modelFields, fields), changes)),
        },
        backend: backendNames.some(changes) ? backendOf(put) : undefined,
        flowControl: membersThat(picked(flowFields, fields), changes),
      },
    ],
  };
}

function membersThat<Values extends object>(
  values: Values,
  changes: (field: string) => boolean,
): Partial<Values>;
function membersThat(values: object, changes: (field: string) => boolean): object {
  return Object.fromEntries(Object.entries(values).filter(([field]) => changes(field)));
}

/** What the files do not state of it stays. */
function backendOf({ name, fields, held, changes }: Putting): NamedModelStep['backend'] {
  const valueOf = (field: string): unknown => (changes(field) ? fields : held)[field] ?? null;
  const [providerName, upstream, most] = backendNames.map(valueOf);
  if (typeof providerName !== 'string') return null;
  return {
    provider: providerName,
    upstreamModel: typeof upstream === 'string' ? upstream : name,
    defaultMaxTokens: typeof most === 'number' ? most : null,
  };
}

const backendNames = ['provider', 'upstream_model', 'default_max_tokens'];

export function makeMcpServer(put: Putting, sources: StepSources): Made | Refusal {
  const { id, name, fields, set } = put;
  const { state } = sources;
  const given = mcpServer.parse({ ...fields, name });
  const remote = remoteOf(
    put,
    { list: 'mcp_servers', given, byId: state.mcp_server.byId },
    sources,
  );
  if (isRefusal(remote)) return remote;
  const { credential } = remote;
  const details = { ...remote.details, transport: set('transport', given.transport) };
  const change = { details, credential, keepCredential: false } as const;
  return commandStep(
    `MCP server ${name}`,
    id === null
      ? made('CreateMcpServer', mcpServerDetails.parse(details), credential)
      : { type: 'UpdateMcpServer', id: mcpServerId.parse(id), ...change },
  );
}

export function makeAgent(put: Putting, sources: StepSources): Made | Refusal {
  const { id, name, fields, set } = put;
  const { state } = sources;
  const given = agent.parse({ ...fields, name });
  const remote = remoteOf(put, { list: 'a2a_agents', given, byId: state.agent.byId }, sources);
  if (isRefusal(remote)) return remote;
  const { credential } = remote;
  const protocol_version = set('protocol_version', given.protocol_version);
  const details = { ...remote.details, protocol_version };
  const change = { details, credential, keepCredential: false } as const;
  return commandStep(
    `A2A agent ${name}`,
    id === null
      ? made('CreateAgent', agentDetails.parse(details), credential)
      : { type: 'UpdateAgent', id: agentId.parse(id), ...change },
  );
}

const made = <Type extends string, Details>(
  type: Type,
  details: Details,
  credential: StoredCredential | null | undefined,
) => ({ type, details, credential: credential ?? null });

type Remote = z.output<typeof mcpServer> | z.output<typeof agent>;

type GivenRemote = Readonly<{
  list: 'mcp_servers' | 'a2a_agents';
  given: Remote;
  byId: ReadonlyMap<number, Readonly<{ credential: StoredCredential | null }>>;
}>;

function remoteOf(put: Putting, { list, given, byId }: GivenRemote, sources: StepSources) {
  const { name, id, set } = put;
  const unfit = unfitAddress(given.url);
  if (unfit !== null) return refuse('invalid', `url ${unfit}`, { param: 'url' });
  const held = byId.get(id ?? 0);
  const credential = credentialOf({ put, list, kind: 'static', held }, sources);
  if (isRefusal(credential)) return credential;
  const details = {
    name,
    url: set('url', new URL(given.url).href),
    description: set('description', given.description ?? null),
    auth_header: set('auth_header', (given.auth_header ?? 'authorization').toLowerCase()),
    auth_scheme: set('auth_scheme', given.auth_scheme ?? null),
    enabled: set('enabled', given.enabled ?? true),
  };
  return { details, credential };
}

type Credentialed = Readonly<{
  put: Pick<Putting, 'at' | 'changes'>;
  list: 'providers' | 'mcp_servers' | 'a2a_agents';
  kind: CredentialKind;
  held: Readonly<{ credential: StoredCredential | null }> | undefined;
}>;

/** Undefined leaves it alone. */
function credentialOf(
  { put, list, kind, held }: Credentialed,
  { files, vaulted, fingerprint }: StepSources,
): StoredCredential | null | undefined | Refusal {
  const param = 'upstream_api_key';
  const given = files[list]?.[put.at]?.upstream_api_key;
  if (given === heldCredential) {
    if ((held?.credential ?? null) !== null) return undefined;
    const message = `${param} is ${heldCredential}, but gw holds none; name a variable, as os.environ/NAME`;
    return refuse('invalid', message, { param });
  }
  if (given === undefined) return undefined;
  if (given === null || given === '') return put.changes(param) ? null : undefined;
  if (!put.changes(param) && !put.changes('credential_kind')) return undefined;
  const unfit = unfitCredential(kind, given);
  if (unfit !== null) return unfit;
  const ref = vaulted({ class: 'credential', plaintext: given });
  return { kind, ref, fingerprint: fingerprint(given) };
}
