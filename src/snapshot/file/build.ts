// Builds the snapshot of a resolved configuration file (File mode), and assigns ids to names.

import { hash } from 'node:crypto';

import { modelFields } from '../../fields/model.ts';
import { storedValues } from '../../fields/values.ts';
import { snakeKeys } from '../../lib/case.ts';
import { plainly, problemOf } from '../../lib/plain-issue.ts';
import { configHash } from '../hash.ts';
import { poolMembers } from '../pool-members.ts';
import { snapshot, snapshotSchemaVersion } from '../schema.ts';
import type { Snapshot } from '../schema.ts';
import type { ConfigDocument } from './document.ts';
import type { FileBudget } from './keys.ts';
import type { Layout } from './layout.ts';
import type { PlannedModel } from './names.ts';
import { providerIdentity } from './providers.ts';
import type { FileProvider } from './providers.ts';
import { ruleMembers } from './rules.ts';

/** The schema checks them at the end. */
type Plain = Readonly<Record<string, unknown>>;

/** Returns the errors, one sentence each, if there is no snapshot. */
export function buildSnapshot(
  document: ConfigDocument,
  layout: Layout,
): Snapshot | readonly string[] {
  const secrets: Record<string, string> = {};
  const providers = numberProviders(document, layout, secrets);
  const callers = numberCallers(document, layout, secrets);
  const ids = {
    models: numbered(layout.models),
    pools: numbered(layout.pools),
    frontendModels: numbered(layout.frontendModels),
    promptClasses: numbered(document.promptClasses),
    roles: callers.roleIds,
    principals: callers.principalIds,
  };
  const errors: string[] = [];
  const config = {
    ...callers.members,
    providers: providers.members,
    models: layout.models.map((model, index) => modelMember(model, index + 1, providers.idOf)),
    pools: layout.pools.map(({ name, policy, members }, index) => ({
      id: index + 1,
      name,
      policy,
      ...poolMembers(
        members.map(({ model, weight }) => ({ model_id: ids.models.get(model), weight })),
      ),
    })),
    frontend_models: ruleMembers(layout.frontendModels, ids, errors),
    prompt_classes: document.promptClasses.map(({ name, tier, min_margin, refines }, index) => ({
      id: index + 1,
      name,
      tier,
      min_margin,
      refines: refines.map((refined) => ids.promptClasses.get(refined)),
    })),
    settings: {
      open: document.keys === null,
      fallback_model_id:
        layout.fallbackModel === null ? null : ids.models.get(layout.fallbackModel),
    },
  };
  const unchecked = {
    schema: snapshotSchemaVersion,
    // Six bytes fit a safe integer. Versions of files are only compared for equality.
    version: Number.parseInt(document.digest.slice(0, 12), 16),
    config_hash: '',
    log: { id: 'file', position: 0, hash: document.digest },
    config,
    secrets,
    overlay: { seq: 0, budgets: callers.budgets },
  };
  const whole = snapshot.safeParse(unchecked, plainly);
  if (errors.length > 0) return errors;
  if (!whole.success) {
    return whole.error.issues.map((issue) => `${issue.path.join('.')}: ${problemOf(issue)}`);
  }
  return { ...whole.data, config_hash: configHash(whole.data.config) };
}

/** Independent of the position in the file, so that spending stays with the principal. */
const principalIdOf = (name: string): number =>
  Number.parseInt(hash('sha256', name).slice(0, 12), 16) + 1;

const numbered = (list: readonly Readonly<{ name: string }>[]): ReadonlyMap<string, number> =>
  new Map(list.map(({ name }, index) => [name, index + 1]));

function numberProviders(
  document: ConfigDocument,
  { models }: Layout,
  secrets: Record<string, string>,
) {
  const named = new Map(document.providers.map((one) => [providerIdentity(one), one.name]));
  const used = [
    ...document.providers,
    ...models.flatMap(({ backends }) => backends.map((one) => one.provider)),
  ];
  const distinct = new Map(used.map((provider) => [providerIdentity(provider), provider]));
  const identities = [...distinct.keys()];
  const members = [...distinct].map(([identity, provider], index) => {
    const id = index + 1;
    if (provider.credential !== null) secrets[`provider-${id}`] = provider.credential;
    return {
      id,
      name: named.get(identity) ?? `${provider.apiBase}#${id}`,
      api_base: provider.apiBase,
      protocol: provider.protocol,
      auth_header: provider.authHeader,
      auth_scheme: provider.authScheme,
      credential_kind: provider.credentialKind,
      credential_ref: provider.credential === null ? null : `provider-${id}`,
    };
  });
  const places = new Map(identities.map((identity, index) => [identity, index + 1]));
  return { members, idOf: (provider: FileProvider) => places.get(providerIdentity(provider)) };
}

const modelMember = (
  { name, facts: { description: _description, ...facts }, backends }: PlannedModel,
  id: number,
  providerIdOf: (provider: FileProvider) => number | undefined,
): Plain => ({
  id,
  name,
  ...storedValues(modelFields, facts),
  backends: backends.map(({ provider, upstreamModel, defaultMaxTokens, flowControl }) => ({
    provider_id: providerIdOf(provider),
    upstream_model: upstreamModel,
    default_max_tokens: defaultMaxTokens,
    ...flowControl,
  })),
});

/**
 * Each key adds a principal and a role. The principals of the service block follow, and its roles
 * come first.
 */
function numberCallers(document: ConfigDocument, layout: Layout, secrets: Record<string, string>) {
  const keys = document.keys ?? [];
  const roles = [
    ...document.roles.map(({ name, permissions }) => ({
      name,
      permissions: permissions.filter(({ verb }) => verb.endsWith(':invoke')),
    })),
    ...keys.map(({ name, models }) => ({
      name: `import:${name}`,
      permissions: models
        .flatMap(layout.grantsOf)
        .map((model) => ({ verb: 'model:invoke' as const, resource: `model/${model}` })),
    })),
  ];
  const roleIds = numbered(roles);
  const principals = [
    ...keys.map((key) => {
      const { limits, budget } = key;
      return { name: key.name, roles: [`import:${key.name}`], limits, budget, keys: [key] };
    }),
    ...document.principals,
  ];
  const stored = principals.flatMap((one) =>
    one.keys.map((key) => ({ ...key, principal: principalIdOf(one.name) })),
  );
  for (const [index, { verifier }] of stored.entries()) secrets[`key-${index + 1}`] = verifier;
  return {
    roleIds,
    principalIds: new Map(principals.map(({ name }) => [name, principalIdOf(name)])),
    members: {
      principals: principals.map(({ name, roles, limits, budget }) => ({
        id: principalIdOf(name),
        // A built-in role grants nothing here unless the file defines it.
        role_ids: roles.flatMap((role) => roleIds.get(role) ?? []),
        limits: limits && snakeKeys(limits),
        budget: budget && budgetMember(budget),
      })),
      roles: roles.map(({ name, permissions }, index) => ({ id: index + 1, name, permissions })),
      api_keys: stored.map(({ principal, expiresAt }, index) => ({
        id: index + 1,
        principal_id: principal,
        verifier_ref: `key-${index + 1}`,
        expires_at: expiresAt,
      })),
    },
    budgets: principals.flatMap(({ name, budget }) =>
      budget === null
        ? []
        : [
            {
              principal_id: principalIdOf(name),
              tokens_used: budget.tokensUsed,
              cost_used_micros: 0,
            },
          ],
    ),
  };
}

const budgetMember = ({ tokensTotal, costTotalMicros, window, calendar }: FileBudget): Plain => ({
  ...snakeKeys({ tokensTotal, costTotalMicros, window }),
  ...(calendar === null ? {} : { calendar }),
});
