// Builds the configuration of a snapshot from a ConfigState. Each member is a pure function of one
// entity.

import { snakeKeys } from '../src/lib/case.ts';
import type { SnapshotNoun } from '../events/nouns.ts';
import type { Target } from '../events/frontend-model.ts';
import { modelFields } from '../src/fields/model.ts';
import { storedValues, readerOf } from '../src/fields/values.ts';
import type { ApiKeyId, ModelId } from '../src/lib/ids.ts';
import { inOneGo } from '../src/lib/steps.ts';
import type { Steps } from '../src/lib/steps.ts';
import { closedModels } from '../src/snapshot/closed-models.ts';
import { configOf } from '../src/snapshot/paged.ts';
import type { PagedConfig, Pages } from '../src/snapshot/paged.ts';
import { poolMembers } from '../src/snapshot/pool-members.ts';
import { versionsAhead } from '../src/usage/price-versions.ts';
import type {
  SnapshotApiKey,
  SnapshotConfig,
  SnapshotFrontendModel,
  SnapshotModel,
  SnapshotOverlay,
  SnapshotPool,
  SnapshotPrincipal,
  SnapshotPromptClass,
  SnapshotProvider,
  SnapshotRole,
  SnapshotRule,
  SnapshotSettings,
  SnapshotTarget,
} from '../src/snapshot/schema.ts';
import type { ApiKey } from './config/api-key.ts';
import type { FrontendModel, Rule } from './config/frontend-model.ts';
import { pageIds, pagesInOrder } from './config/id-map.ts';
import type { IdPage } from './config/id-map.ts';
import { isAsLearned } from './config/model.ts';
import type { Model } from './config/model.ts';
import type { Pool } from './config/pool.ts';
import type { Budget, BudgetIncrease, Principal } from './config/principal.ts';
import type { PromptClass } from './config/prompt-class.ts';
import type { Provider } from './config/provider.ts';
import type { Role } from './config/role.ts';
import { defaultSettings } from './config/settings.ts';
import type { Slice } from './config/slice.ts';
import type { ConfigState } from './config/state.ts';

export const snapshotConfig = (state: ConfigState): SnapshotConfig =>
  configOf(createPagedConfigMaker()(state));

/**
 * Shares the pages that did not change since the last state, and the members of unchanged entities.
 * Only for completed states, whose pages no fold writes any more.
 */
export function createPagedConfigMaker(): (state: ConfigState) => PagedConfig {
  const steps = createPagedConfigSteps();
  return (state) => inOneGo(steps(state));
}

/** Each step reads one page, so that other work can run in between. */
export function createConfigSteps(): (state: ConfigState) => Steps<SnapshotConfig> {
  const paged = createPagedConfigSteps();
  return function* (state) {
    return configOf(yield* paged(state));
  };
}

function createPagedConfigSteps(): (state: ConfigState) => Steps<PagedConfig> {
  const principals = remembering(principalMember);
  const roles = remembering(roleMember);
  const apiKeys = remembering(apiKeyMember);
  const providers = remembering(providerMember);
  const models = remembering(modelMember);
  const frontendModels = remembering(frontendModelMember);
  const pools = remembering(poolMember);
  const promptClasses = remembering(promptClassMember);
  return function* (state) {
    return {
      lists: {
        principals: yield* principals(state.principal),
        roles: yield* roles(state.role),
        api_keys: yield* apiKeys(state.api_key),
        providers: yield* providers(state.provider),
        models: yield* models(state.model),
        frontend_models: yield* frontendModels(state.frontend_model),
        pools: yield* pools(state.pool),
        prompt_classes: yield* promptClasses(state.prompt_class),
      },
      settings: settingsMember(state),
    };
  };
}

/** Sorted by id. Omits entities without a member. */
function remembering<Entity, Member extends Readonly<{ id: number }>>(
  toMember: (entity: Entity) => Member | null,
): (slice: Slice<Entity>) => Steps<Pages<Member>> {
  let entities: ReadonlyMap<number, IdPage<Entity>> = new Map();
  let held: Pages<Member> = new Map();
  return function* ({ byId }) {
    if (byId.pages === entities) return held;
    const pages = new Map<number, readonly Member[]>();
    for (const [number, page] of pagesInOrder(byId)) {
      const before = { page: entities.get(number), members: held.get(number) ?? [] };
      pages.set(number, membersIn({ number, page, before }, toMember));
      yield;
    }
    entities = byId.pages;
    held = pages;
    return pages;
  };
}

type Remembered<Entity, Member> = Readonly<{
  number: number;
  page: IdPage<Entity>;
  before: Readonly<{ page: IdPage<Entity> | undefined; members: readonly Member[] }>;
}>;

function membersIn<Entity, Member extends Readonly<{ id: number }>>(
  { number, page, before }: Remembered<Entity, Member>,
  toMember: (entity: Entity) => Member | null,
): readonly Member[] {
  if (before.page === page) return before.members;
  const known = new Map(before.members.map((member) => [member.id, member]));
  return page.flatMap((entity, at) => {
    if (entity === undefined) return [];
    const isHeld = before.page?.[at] === entity;
    return (isHeld ? known.get(number * pageIds + at) : toMember(entity)) ?? [];
  });
}

/** The same rule as in a proxy. */
export const closedModelsIn = (state: ConfigState): ReadonlySet<ModelId> =>
  closedModels({
    models: [...state.model.byId.values()].filter(isAsLearned).map(modelMember),
    frontend_models: frontendModelMembers(state),
    pools: [...state.pool.byId.values()].map(poolMember),
    settings: settingsMember(state),
  });

/** Null if the entity was deleted or proxies do not need it. */
export function snapshotMember(state: ConfigState, noun: SnapshotNoun, id: number) {
  switch (noun) {
    case 'principal':
      return memberOf(state[noun].byId.get(id), principalMember);
    case 'role':
      return memberOf(state[noun].byId.get(id), roleMember);
    case 'api_key':
      return memberOf(state[noun].byId.get(id), apiKeyMember);
    case 'provider':
      return memberOf(state[noun].byId.get(id), providerMember);
    case 'model':
      return memberOf(state[noun].byId.get(id), modelMember);
    case 'frontend_model':
      return memberOf(state[noun].byId.get(id), frontendModelMember);
    case 'pool':
      return memberOf(state[noun].byId.get(id), poolMember);
    case 'prompt_class':
      return memberOf(state[noun].byId.get(id), promptClassMember);
  }
}

const memberOf = <Entity, Member>(
  entity: Entity | undefined,
  toMember: (entity: Entity) => Member,
): Member | null => (entity === undefined ? null : toMember(entity));

const principalMember = (principal: Principal): SnapshotPrincipal => ({
  id: principal.id,
  role_ids: principal.roleIds,
  limits: principal.limits && snakeKeys(principal.limits),
  budget: principal.budget && budgetMember(principal.budget),
});

/** Proxies get the windows of budgets in the overlay, and send no notifications. */
const budgetMember = ({ tokensTotal, costTotalMicros, window, increases = [] }: Budget) => ({
  ...snakeKeys({ tokensTotal, costTotalMicros, window }),
  ...(increases.length === 0 ? {} : { increases: increases.map(increaseMember) }),
});

const increaseMember = ({ tokens, costMicros, startsAt, endsAt }: BudgetIncrease) =>
  snakeKeys({ tokens, costMicros, startsAt, endsAt });

/** Only permissions that proxies check. */
const roleMember = (role: Role): SnapshotRole => ({
  id: role.id,
  name: role.name,
  permissions: role.permissions.filter(({ verb }) => verb.endsWith(':invoke')),
});

const apiKeyMember = (key: ApiKey): (SnapshotApiKey & { id: ApiKeyId }) | null =>
  key.disabled
    ? null
    : {
        id: key.id,
        principal_id: key.principalId,
        verifier_ref: key.verifierRef,
        expires_at: key.expiresAt,
      };

const providerMember = (provider: Provider): SnapshotProvider => ({
  id: provider.id,
  name: provider.name,
  ...provider.endpoint,
  credential_kind: provider.credential?.kind ?? 'static',
  credential_ref: provider.credential?.ref ?? null,
});

const modelValues = readerOf(modelFields);

const modelMember = (model: Model): SnapshotModel => ({
  id: model.id,
  name: model.name,
  ...storedValues(modelFields, modelValues(model)),
  backends:
    model.backend === null
      ? []
      : [
          {
            provider_id: model.backend.providerId,
            upstream_model: model.backend.upstreamModel,
            default_max_tokens: model.backend.defaultMaxTokens,
            ...model.flowControl,
          },
        ],
  ...(isAsLearned(model) ? { learned: true } : {}),
  ...scheduledPrices(model),
});

function scheduledPrices({ priceVersions }: Model): Pick<SnapshotModel, 'price_versions'> {
  const ahead = versionsAhead(priceVersions);
  return ahead.length < 2 ? {} : { price_versions: ahead.map(snakeKeys) };
}

const promptClassMember = (promptClass: PromptClass): SnapshotPromptClass => ({
  id: promptClass.id,
  name: promptClass.name,
  tier: promptClass.tier,
  min_margin: promptClass.minMargin,
  refines: promptClass.refines,
});

const frontendModelMember = (model: FrontendModel): SnapshotFrontendModel => ({
  id: model.id,
  name: model.name,
  max_model_len: model.maxModelLen,
  rules: model.rules.filter(({ enabled }) => enabled !== false).map(ruleMember),
  default_targets: routable(model.defaultTargets),
});

export const frontendModelMembers = (state: ConfigState): SnapshotFrontendModel[] =>
  [...state.frontend_model.byId.values()].map(frontendModelMember);

/**
 * Omits disabled rules, so that proxies of every release skip them: the index in x-gw-route counts
 * enabled rules only. Omits names, so that renaming a rule does not change the configuration that
 * proxies load.
 */
const ruleMember = ({ targets, name: _name, enabled: _enabled, ...rule }: Rule): SnapshotRule => ({
  ...rule,
  targets: routable(targets),
});

/** A target whose model was deleted is listed, but never routed to. */
const routable = (targets: readonly Target[]): SnapshotTarget[] =>
  targets
    .filter(({ gone_model }) => gone_model === null)
    .map(({ model_id, pool_id }) => ({ model_id, pool_id }));

const poolMember = (pool: Pool): SnapshotPool => ({
  id: pool.id,
  name: pool.name,
  policy: pool.policy,
  ...poolMembers(
    pool.members.flatMap(({ model_id, weight }) =>
      model_id === null ? [] : [{ model_id, weight }],
    ),
  ),
});

/** Those out of rotation, as listed in the overlay. */
export const degradedProviders = ({
  provider,
}: ConfigState): SnapshotOverlay['dropped_providers'] =>
  [...provider.byId.values()].flatMap(({ id, degraded }) =>
    degraded === null ? [] : [{ provider_id: id, reason: degraded.reason }],
  );

/** A control plane is never open: every caller needs a key. */
export const settingsMember = (state: ConfigState): SnapshotSettings => ({
  open: false,
  fallback_model_id: (state.settings.byId.get(1) ?? defaultSettings).fallbackModelId,
});
