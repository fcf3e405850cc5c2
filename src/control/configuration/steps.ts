// Turns the changes of a plan into steps, in an order in which each finds what it names. Secrets are given refs here, and go into the vault
// only with an event that refers to them.

import { z } from 'zod';

import { parseStream } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Secret } from '../../db/vault.ts';
import { placeOf } from '../../deciders/reconcile/records.ts';
import type { Fields, RecordChange, WantedRecord } from '../../deciders/reconcile/records.ts';
import type { ImportStep, NamedModelStep } from '../../deciders/reconcile/step.ts';
import { flowFields, modelFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import { camelKeys } from '../../lib/case.ts';
import { apiKeyId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind } from '../../lib/vocabulary.ts';
import { importedRule, inOrder } from '../files/import-plan.ts';
import { completeEndpoint, unfitAddress, unfitCredential } from '../providers/endpoint.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import {
  agent,
  heldCredential,
  hiddenPrefix,
  listNames,
  mcpServer,
  model,
  pool,
  principal,
  promptClass,
  provider,
  role,
  settings,
} from './format.ts';
import type { Declared, ListName } from './format.ts';
import { givenEndpoint, within } from './wanted.ts';

export type StepSources = Readonly<{
  state: ConfigState;
  files: Declared;
  /** The principal of that name, in the configuration or in the files. */
  principalNamed: (name: string) => StoredName;
  /** Takes a secret for the vault and answers its ref. */
  vaulted: (secret: Omit<Secret, 'ref'>) => string;
  fingerprint: (text: string) => string;
}>;

/** A resource that is to be made or changed. */
type Put = RecordChange & Readonly<{ wanted: WantedRecord }>;

/** What refers to resources of its own list is made `later`, when all of them are there. */
type Made = Readonly<{ steps: readonly ImportStep[]; later?: readonly ImportStep[] }>;

/** `id` is null for what is made. `set` answers the value where the field changes, undefined where it does not. */
type Putting = Readonly<{
  name: string;
  at: number;
  id: number | null;
  /** Of the files, with defaults. */
  fields: Fields;
  /** As they stand. */
  held: Fields;
  changes: (field: string) => boolean;
  set: <Value>(field: string, value: Value) => Value | undefined;
}>;

type Maker = (put: Putting, sources: StepSources) => Made | Refusal;

export function stepsOf(
  changes: readonly RecordChange[],
  sources: StepSources,
): readonly ImportStep[] | Refusal {
  const steps: ImportStep[] = [];
  const later: ImportStep[] = [];
  for (const put of putsIn(changes, sources.files)) {
    const { list } = put.wanted;
    const at = placeOf(put.wanted);
    const made = isList(list) ? makers[list](puttingOf(put), sources) : { steps: [] };
    if (isRefusal(made)) return within(at, made);
    for (const step of made.steps) steps.push({ ...step, at });
    for (const step of made.later ?? []) later.push({ ...step, at });
  }
  return [...steps, ...later, ...removals(changes)];
}

/**
 * What is renamed gives its name away before another resource of its list takes it. Prompt classes come after those that they refine.
 */
function putsIn(
  changes: readonly RecordChange[],
  { prompt_classes: classes = [] }: Declared,
): readonly Put[] {
  const places = new Map(inOrder(classes).map(({ name }, at) => [name, at]));
  const placeOfPut = ({ held, wanted }: Put): number =>
    wanted.list === 'prompt_classes' ? (places.get(wanted.key) ?? 0) : Number(held === null);
  const puts = changes.filter((change): change is Put => change.wanted !== null);
  return listNames.flatMap((list) => {
    const own = puts.filter(({ wanted }) => wanted.list === list);
    return own.toSorted((a, b) => placeOfPut(a) - placeOfPut(b));
  });
}

function puttingOf({ wanted, held, fields }: Put): Putting {
  const changed = new Set(fields.map(({ field }) => field));
  const changes = (field: string): boolean => held === null || changed.has(field);
  return {
    name: wanted.list === 'keys' ? wanted.name : wanted.key,
    at: wanted.at,
    id: held === null ? null : parseStream(held.stream).id,
    fields: wanted.fields,
    held: held?.shown ?? {},
    changes,
    set: (field, value) => (changes(field) ? value : undefined),
  };
}

/** Keys are revoked: what used them stays in lists. */
function removals(changes: readonly RecordChange[]): readonly ImportStep[] {
  const gone = changes.flatMap(({ held, wanted }) =>
    wanted === null && held !== null ? held : [],
  );
  const keys = gone.filter(({ list }) => list === 'keys');
  const others = gone.filter(({ list }) => list !== 'keys').map(({ stream }) => stream);
  return [
    ...keys.map(({ name: label, stream }) => {
      const id = apiKeyId.parse(parseStream(stream).id);
      return { step: 'revoke_key', label, id } as const;
    }),
    ...(others.length === 0 ? [] : [{ step: 'remove', streams: others } as const]),
  ];
}

const makers: Readonly<Record<ListName, Maker>> = {
  providers: makeProvider,
  models: makeModel,
  pools: ({ name, id, fields, set }) => {
    const given = pool.parse({ ...fields, name });
    const members = set('members', given.members);
    const changed = { description: set('description', given.description ?? null), members };
    return { steps: [{ step: 'pool', id, name, ...changed, policy: set('policy', given.policy) }] };
  },
  prompt_classes: ({ name, id, fields, set }) => {
    const given = promptClass.parse({ ...fields, name });
    const own = {
      description: set('description', given.description ?? null),
      tier: set('tier', given.tier),
      minMargin: set('min_margin', given.min_margin),
      refines: set('refines', given.refines),
    };
    return { steps: [{ step: 'prompt_class', id, name, ...own, examples: [] }] };
  },
  frontend_models: ({ name, id, at, set, changes }, { files, principalNamed }) => {
    const { description, max_model_len, rules, default_targets } =
      files.frontend_models?.[at] ?? {};
    const step = {
      step: 'frontend_model',
      id,
      name,
      description: set('description', description ?? null),
      maxModelLen: set('max_model_len', max_model_len ?? null),
      defaultTargets: set('default_targets', default_targets ?? []),
    } as const;
    const given = (rules ?? []).map((one) => importedRule(one, principalNamed));
    const listed = { step: 'rules', frontendModel: name, rules: given } as const;
    return { steps: [step], later: changes('rules') ? [listed] : [] };
  },
  roles: ({ name, id, fields, set }) => {
    const given = role.parse({ ...fields, name });
    const description = set('description', given.description ?? null);
    const permissions = set('permissions', given.permissions);
    return { steps: [{ step: 'role', id, name, description, permissions }] };
  },
  principals: makePrincipal,
  keys: makeKey,
  mcp_servers: ({ name, id, fields, ...put }, sources) => {
    const given = mcpServer.parse({ ...fields, name });
    const remote = remoteOf({ name, id, fields, ...put }, given, sources);
    if (isRefusal(remote)) return remote;
    const details = { ...remote.details, transport: put.set('transport', given.transport) };
    return { steps: [{ step: 'mcp_server', ...remote, details }] };
  },
  a2a_agents: ({ name, id, fields, ...put }, sources) => {
    const given = agent.parse({ ...fields, name });
    const remote = remoteOf({ name, id, fields, ...put }, given, sources);
    if (isRefusal(remote)) return remote;
    const protocol_version = put.set('protocol_version', given.protocol_version);
    return {
      steps: [{ step: 'agent', ...remote, details: { ...remote.details, protocol_version } }],
    };
  },
  settings: ({ fields, changes }) => {
    const { fallback_model: model = null, change_policy: kinds = [] } = settings.parse(fields);
    return {
      steps: changes('fallback_model') ? [{ step: 'fallback', model }] : [],
      later: changes('change_policy') ? [{ step: 'change_policy', kinds }] : [],
    };
  },
};

const isList = (list: string): list is ListName => Object.hasOwn(makers, list);

const endpointNames = ['api_base', 'protocol', 'auth_header', 'auth_scheme', 'credential_kind'];

function makeProvider(put: Putting, sources: StepSources): Made | Refusal {
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
  const asked = givenEndpoint(Object.fromEntries(stated));
  const endpoint = endpointNames.some(changes) ? completeEndpoint(asked, base) : undefined;
  if (isRefusal(endpoint)) return endpoint;
  const kind = given.credential_kind ?? 'static';
  const credential = credentialOf({ put, list: 'providers', kind, held }, sources);
  if (isRefusal(credential)) return credential;
  if (held !== undefined && changes('credential_kind') && credential === undefined) {
    return refuse('invalid', 'credential_kind changes only together with upstream_api_key', {
      param: 'credential_kind',
    });
  }
  const own = { kind: set('kind', given.kind ?? 'static'), catalogueKey: key };
  return { steps: [{ step: 'named_provider', id, name, ...own, endpoint, credential }] };
}

const unchangeable = (field: string): Refusal =>
  refuse('conflict', `${field} cannot be changed; give the resource another name`, {
    param: field,
  });

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

function makeModel(put: Putting): Made {
  const { name, id, fields, changes, set } = put;
  const { description = null } = model.parse({ ...fields, name });
  const own = z.object(shapeOf(modelFields, 'file')).parse(fields);
  const flow = z.object(shapeOf(flowFields, 'file')).parse(fields);
  return {
    steps: [
      {
        step: 'named_model',
        id,
        name,
        fields: {
          description: set('description', description),
          ...camelKeys(membersThat(own, changes)),
        },
        backend: backendNames.some(changes) ? backendOf(put) : undefined,
        flowControl: membersThat(flow, changes),
      },
    ],
  };
}

function membersThat<Values extends object>(
  values: Values,
  changes: (field: string) => boolean,
): { [Name in keyof Values]?: NonNullable<Values[Name]> | null };
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

function makePrincipal(put: Putting, { principalNamed }: StepSources): Made | Refusal {
  const { name: label, id, fields, changes, set } = put;
  if (id !== null && changes('kind')) return unchangeable('kind');
  const {
    kind = 'service_account',
    roles = [],
    limits,
    budget,
  } = principal.parse({
    ...fields,
    name: label,
  });
  const own = {
    roles: set('roles', { all: true, names: roles }),
    limits: set('limits', limits ? limitsOf(limits) : null),
    budget: set('budget', budget ? budgetOf(budget) : null),
  };
  const name = principalNamed(label);
  return { steps: [{ step: 'principal', id, label, name, kind, mark: null, ...own, keys: [] }] };
}

type Given = z.output<typeof principal>;

const limitsOf = (limits: NonNullable<Given['limits']>) => ({
  requestsPerMin: limits.requests_per_min ?? null,
  tokensPerMin: limits.tokens_per_min ?? null,
});

const budgetOf = (budget: NonNullable<Given['budget']>) => ({
  tokensTotal: budget.tokens_total ?? null,
  costTotalMicros: budget.cost_total_micros ?? null,
  window: budget.window,
  initialTokensUsed: 0,
});

function makeKey(put: Putting, { files, principalNamed, vaulted }: StepSources): Made | Refusal {
  const { name: label, id, at, changes } = put;
  const given = files.keys?.[at];
  if (given === undefined) throw new Error(`the files have no key ${at}`);
  const fixed = ['name', 'principal', 'prefix'].find(changes);
  if (id !== null && fixed !== undefined) return unchangeable(fixed);
  const verifier = given.key_sha256;
  const key = {
    name: given.name,
    prefix: given.prefix ?? hiddenPrefix,
    verifierRef: id === null ? vaulted({ class: 'key_verifier', plaintext: verifier }) : '',
    expiresAt: given.expires_at ?? null,
  };
  return { steps: [{ step: 'key', label, id, principal: principalNamed(given.principal), key }] };
}

type Remote = z.output<typeof mcpServer> | z.output<typeof agent>;

function remoteOf(put: Putting, given: Remote, sources: StepSources) {
  const { name, id, set } = put;
  const unfit = unfitAddress(given.url);
  if (unfit !== null) return refuse('invalid', `url ${unfit}`, { param: 'url' });
  const [list, byId] =
    'transport' in given
      ? (['mcp_servers', sources.state.mcp_server.byId] as const)
      : (['a2a_agents', sources.state.agent.byId] as const);
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
  return { id, name, details, credential };
}
