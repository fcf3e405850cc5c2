// Makes the steps of an apply for providers, models, MCP servers and agents.

import { ownFieldsOf, remoteDetails } from '../../../events/catalogue.ts';
import { nouns } from '../../../events/nouns.ts';
import type { RemoteNoun } from '../../../events/nouns.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import { remoteCommand } from '../../deciders/remote.ts';
import type { NamedModelStep } from '../../deciders/reconcile/step.ts';
import { flowFields, modelFields } from '../../fields/model.ts';
import { picked } from '../../fields/values.ts';
import { camelKeys } from '../../lib/case.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import { completeEndpoint, unfitAddress, unfitCredential } from '../providers/endpoint.ts';
import { heldCredential, model, provider, remoteSchema } from './format.ts';
import type { RemoteList } from './format.ts';
import { commandStep, unchangeable } from './putting.ts';
import type { Made, Maker, Putting, StepSources } from './putting.ts';
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
    return refuse('invalid', 'credential_kind can change only together with upstream_api_key', {
      param: 'credential_kind',
    });
  }
  const kind = given.kind ?? 'static';
  if (held !== undefined) {
    const change = { name, kind: set('kind', kind), endpoint, credential, keepCredential: false };
    return commandStep(`provider ${name}`, { type: 'UpdateProvider', id: held.id, ...change });
  }
  if (endpoint === undefined) throw new Error(`provider ${name} is created without an endpoint`);
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

/** Fields that the files do not state stay unchanged. */
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

export const remoteMaker =
  (noun: RemoteNoun): Maker =>
  (put, sources) => {
    const { id, name, fields, set } = put;
    const { words, list } = nouns[noun].remote;
    const given = remoteSchema(noun).parse({ ...fields, name });
    const unfit = unfitAddress(given.url);
    if (unfit !== null) return refuse('invalid', `url ${unfit}`, { param: 'url' });
    const held = sources.state[noun].byId.get(id ?? 0);
    const credential = credentialOf({ put, list, kind: 'static', held }, sources);
    if (isRefusal(credential)) return credential;
    const own = Object.keys(ownFieldsOf(noun));
    const details = {
      name,
      url: set('url', new URL(given.url).href),
      description: set('description', given.description ?? null),
      auth_header: set('auth_header', (given.auth_header ?? 'authorization').toLowerCase()),
      auth_scheme: set('auth_scheme', given.auth_scheme ?? null),
      enabled: set('enabled', given.enabled ?? true),
      ...Object.fromEntries(own.map((field) => [field, set(field, Reflect.get(given, field))])),
    };
    const command =
      id === null
        ? remoteCommand(noun, 'Create', {
            details: remoteDetails[noun].parse(details),
            credential: credential ?? null,
          })
        : remoteCommand(noun, 'Update', { id, details, credential, keepCredential: false });
    return commandStep(`${words} ${name}`, command);
  };

type Credentialed = Readonly<{
  put: Pick<Putting, 'at' | 'changes'>;
  list: 'providers' | RemoteList;
  kind: CredentialKind;
  held: Readonly<{ credential: StoredCredential | null }> | undefined;
}>;

/** Undefined keeps the stored credential. */
function credentialOf(
  { put, list, kind, held }: Credentialed,
  { files, vaulted, fingerprint }: StepSources,
): StoredCredential | null | undefined | Refusal {
  const param = 'upstream_api_key';
  const given = files[list]?.[put.at]?.upstream_api_key;
  if (given === heldCredential) {
    if ((held?.credential ?? null) !== null) return undefined;
    const message = `${param} is ${heldCredential}, but gw has no credential for it; use a variable, for example os.environ/NAME`;
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
