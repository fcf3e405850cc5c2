// Turns a configuration file into the steps of an import, ordered so that each step finds the
// entities that it names. Assigns refs to secrets; only an event that refers to a secret stores it
// in the vault.

import type { Endpoint, StoredCredential } from '../../../events/provider.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { Secret } from '../../db/vault.ts';
import type {
  ImportedEndpoint,
  ImportedKey,
  ImportedRule,
  ImportStep,
  ModelStep,
  PrincipalStep,
  ProviderStep,
} from '../../deciders/reconcile/step.ts';
import { camelKeys } from '../../lib/case.ts';
import { storedExampleOf } from '../../deciders/prompt-class.ts';
import type { ConfigDocument } from '../../snapshot/file/document.ts';
import type { FileKey, FilePrincipal, StoredKey } from '../../snapshot/file/keys.ts';
import type { Layout } from '../../snapshot/file/layout.ts';
import type { PlannedModel } from '../../snapshot/file/names.ts';
import { providerIdentity } from '../../snapshot/file/providers.ts';
import type { FileProvider } from '../../snapshot/file/providers.ts';
import type { FilePromptClass, FileRule } from '../../snapshot/file/records.ts';
import type { PrincipalKind } from '../../lib/vocabulary.ts';

export type ImportPlan = Readonly<{
  steps: readonly ImportStep[];
  secrets: readonly Secret[];
}>;

export type PlanOptions = Readonly<{
  newId: () => string;
  /** Equal for equal texts. */
  fingerprint: (text: string) => string;
  /** The refs of the vault items that contain a verifier. */
  heldRefs: (verifier: string) => readonly string[];
}>;

export function planImport(
  document: ConfigDocument,
  layout: Layout,
  options: PlanOptions,
): ImportPlan {
  const secrets: Secret[] = [];
  const vaulted = (secret: Omit<Secret, 'ref'>): string => {
    const ref = options.newId();
    secrets.push({ ref, ...secret });
    return ref;
  };
  const context = { ...options, vaulted };
  const endpoints = importedEndpoints(document, layout, context);
  const kinds = new Map(document.principals.map(({ name, kind }) => [name, kind]));
  const keys = document.keys ?? [];
  const steps: ImportStep[] = [
    ...providerSteps(document, layout, endpoints),
    ...layout.models.map((model) => modelStep(model, endpoints)),
    ...layout.pools.map((pool) => {
      const own = document.pools.some(({ name }) => name === pool.name);
      const { name, members, description, policy } = pool;
      const described = own
        ? { description, policy }
        : { description: undefined, policy: undefined };
      return { step: 'pool' as const, name, members, ...described };
    }),
    ...inOrder(document.promptClasses).map((one) => promptClassStep(one, context)),
    ...layout.frontendModels.map(({ name, description, maxModelLen, defaultTargets }) => {
      const own = document.frontendModels.some((one) => one.name === name);
      const described = own
        ? { description, maxModelLen }
        : { description: undefined, maxModelLen: undefined };
      return { step: 'frontend_model' as const, name, defaultTargets, ...described };
    }),
    ...document.roles.map(({ name, description, permissions }) => ({
      step: 'role' as const,
      name,
      description: description === undefined ? undefined : description,
      permissions,
    })),
    ...keys.map((key) => ({
      step: 'role' as const,
      name: roleOf(key),
      description: undefined,
      permissions: [...new Set(key.models.flatMap(layout.grantsOf))].map((model) => ({
        verb: 'model:invoke' as const,
        resource: `model/${model}`,
      })),
    })),
    ...keys.map((key) => keyStep(key, context)),
    ...document.principals.map((principal) => principalStep(principal, context)),
    ...layout.frontendModels
      .filter(({ name }) => document.frontendModels.some((one) => one.name === name))
      .map(({ name, rules }) => ({
        step: 'rules' as const,
        frontendModel: name,
        rules: rules.map((rule) =>
          importedRule(rule, (label) => nameOf(label, kinds.get(label), context)),
        ),
      })),
    ...(layout.fallbackModel === null
      ? []
      : [{ step: 'fallback' as const, model: layout.fallbackModel }]),
  ];
  return { steps, secrets };
}

type Context = PlanOptions & Readonly<{ vaulted: (secret: Omit<Secret, 'ref'>) => string }>;

type Endpoints = ReadonlyMap<string, ImportedEndpoint & Readonly<{ provider: FileProvider }>>;

/** Keyed by the identity of the provider in the file: one vault item per credential. */
function importedEndpoints(
  document: ConfigDocument,
  { models }: Layout,
  context: Context,
): Endpoints {
  const used = [
    ...document.providers,
    ...models.flatMap(({ backends }) => backends.map(({ provider }) => provider)),
  ];
  const distinct = new Map(used.map((provider) => [providerIdentity(provider), provider]));
  const named = [...distinct.values()].flatMap(({ credential }) => credential ?? []);
  const fingerprints = new Map(named.map((text) => [text, context.fingerprint(text)]));
  return new Map(
    [...distinct].map(([identity, provider]) => [
      identity,
      {
        provider,
        endpoint: endpointOf(provider),
        credential: storedCredential(provider, context),
        otherCredentials: [...fingerprints]
          .filter(([text]) => text !== provider.credential)
          .map(([, fingerprint]) => fingerprint),
      },
    ]),
  );
}

const endpointOf = (provider: FileProvider): Endpoint => ({
  api_base: provider.apiBase,
  protocol: provider.protocol,
  auth_header: provider.authHeader,
  auth_scheme: provider.authScheme,
});

function storedCredential(
  { credential: plaintext, credentialKind: kind }: FileProvider,
  { vaulted, fingerprint }: Context,
): StoredCredential | null {
  if (plaintext === null) return null;
  const ref = vaulted({ class: 'credential', plaintext });
  return { kind, ref, fingerprint: fingerprint(plaintext) };
}

/**
 * Providers named in the file come first, so that no other provider is named after its host with
 * the same name.
 */
function providerSteps(
  document: ConfigDocument,
  { models }: Layout,
  endpoints: Endpoints,
): readonly ProviderStep[] {
  const named = new Map(document.providers.map((one) => [providerIdentity(one), one]));
  const served = Map.groupBy(
    models.flatMap((model) => model.backends.map((backend) => ({ model, backend }))),
    ({ backend }) => providerIdentity(backend.provider),
  );
  return [...endpoints].map(([identity, { provider, endpoint, credential, otherCredentials }]) => {
    const own = named.get(identity);
    return {
      step: 'provider',
      endpoint,
      credential,
      otherCredentials,
      name: own?.name ?? null,
      defaultName: new URL(provider.apiBase).host,
      kind: own?.kind ?? 'static',
      catalogueKey: own?.catalogueKey ?? null,
      serves: (served.get(identity) ?? []).map(({ model, backend: { upstreamModel } }) => ({
        models: namesOf(model),
        upstreamModel,
      })),
    };
  });
}

/** An entry that was alone in its pool had the pool's name. Null if it already has its own. */
const formerNameOf = ({ name, entryName }: PlannedModel): string | null =>
  entryName === name ? null : entryName;

const namesOf = (model: PlannedModel): readonly string[] => {
  const former = formerNameOf(model);
  return former === null ? [model.name] : [model.name, former];
};

function modelStep(model: PlannedModel, endpoints: Endpoints): ModelStep {
  const { facts, flowControl } = model;
  const [backend] = model.backends;
  const found =
    backend === undefined ? undefined : endpoints.get(providerIdentity(backend.provider));
  return {
    step: 'model',
    name: model.name,
    formerName: formerNameOf(model),
    fields: camelKeys(stated(facts)),
    backend:
      backend === undefined || found === undefined
        ? null
        : {
            endpoint: found.endpoint,
            credential: found.credential,
            otherCredentials: found.otherCredentials,
            upstreamModel: backend.upstreamModel,
            defaultMaxTokens: backend.defaultMaxTokens,
          },
    flowControl: stated(flowControl),
  };
}

/** Settings that are not in the file stay unchanged. */
function stated<Values extends object>(values: Values): Partial<Values>;
function stated(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

export function inOrder<
  One extends Readonly<{ name: string; refines?: readonly string[] | undefined }>,
>(classes: readonly One[]): readonly One[] {
  const byName = new Map(classes.map((one) => [one.name, one]));
  const ordered = new Set<One>();
  const walk = (one: One, above: readonly string[]): void => {
    for (const name of one.refines ?? []) {
      const refined = byName.get(name);
      if (refined !== undefined && !above.includes(name)) walk(refined, [...above, one.name]);
    }
    ordered.add(one);
  };
  for (const one of classes) walk(one, []);
  return [...ordered];
}

const promptClassStep = (
  { name, description, tier, min_margin: minMargin, refines, examples }: FilePromptClass,
  { vaulted, fingerprint }: Context,
): ImportStep => ({
  step: 'prompt_class',
  name,
  description: description ?? null,
  tier,
  minMargin,
  refines,
  examples: examples.map(({ prompt, label }) =>
    storedExampleOf(label, {
      ref: vaulted({ class: 'example', plaintext: prompt }),
      fingerprint: fingerprint(prompt),
    }),
  ),
});

const roleOf = ({ name }: Pick<FileKey, 'name'>): string => `import:${name}`;

/** The name of a person is in the vault. */
export const nameOf = (
  text: string,
  kind: PrincipalKind | undefined,
  { vaulted, fingerprint }: Pick<Context, 'vaulted' | 'fingerprint'>,
): StoredName =>
  kind === 'user'
    ? {
        text: null,
        ref: vaulted({ class: 'personal', plaintext: text }),
        fingerprint: fingerprint(text),
      }
    : { text, ref: null, fingerprint: fingerprint(text) };

const keyStep = (key: FileKey, context: Context): PrincipalStep => ({
  step: 'principal',
  label: key.name,
  name: nameOf(key.name, 'service_account', context),
  kind: 'service_account',
  mark: roleOf(key),
  roles: { all: false, names: [roleOf(key)] },
  limits: key.limits ?? undefined,
  budget: budgetOf(key.budget),
  keys: [importedKey(key, context)],
});

const principalStep = (principal: FilePrincipal, context: Context): PrincipalStep => ({
  step: 'principal',
  label: principal.name,
  name: nameOf(principal.name, principal.kind, context),
  kind: principal.kind,
  mark: null,
  roles: { all: true, names: principal.roles },
  limits: principal.limits ?? undefined,
  budget: budgetOf(principal.budget),
  keys: principal.keys.map((key) => importedKey(key, context)),
});

const budgetOf = (budget: FileKey['budget']): PrincipalStep['budget'] =>
  budget === null ? undefined : { ...budget, initialTokensUsed: budget.tokensUsed };

const importedKey = (
  { name, prefix, verifier, expiresAt }: StoredKey,
  { vaulted, heldRefs }: Context,
): ImportedKey => ({
  name,
  prefix,
  verifierRef: vaulted({ class: 'key_verifier', plaintext: verifier }),
  heldRefs: heldRefs(verifier),
  expiresAt,
});

export function importedRule(rule: FileRule, nameOf: (label: string) => StoredName): ImportedRule {
  const { name, enabled, action, targets, deny_status, deny_message, jump_to, tag, ...asked } =
    rule;
  const { principals, ...conditions } = asked;
  return {
    name: name ?? null,
    enabled,
    action,
    targets,
    deny_status: deny_status ?? null,
    deny_message: deny_message ?? null,
    jump_to: jump_to ?? null,
    tag: tag ?? null,
    principals: principals.map(nameOf),
    conditions,
  };
}
