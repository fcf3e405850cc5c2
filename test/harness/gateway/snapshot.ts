// Builds a complete snapshot from the fields that a test sets.

import { hash } from 'node:crypto';

import type { ConditionValues } from '../../../src/conditions/table.ts';
import { noConditions } from '../../../src/conditions/values.ts';
import type { PoolPolicy } from '../../../src/lib/vocabulary.ts';
import type { PriceCard } from '../../../src/usage/price-card.ts';
import { configHash } from '../../../src/snapshot/hash.ts';
import { poolMembers } from '../../../src/snapshot/pool-members.ts';
import { snapshot as snapshotSchema, snapshotSchemaVersion } from '../../../src/snapshot/schema.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';

type GivenBackend = Readonly<{
  apiBase: string;
  credential?: string;
  upstreamModel?: string;
  protocol?: string;
  defaultMaxTokens?: number;
  timeoutSeconds?: number;
  flow?: GivenFlowControl;
  /** Its provider is out of rotation. */
  isOut?: true;
}>;

type GivenFlowControl = Readonly<{
  maxConcurrent: number;
  highWater?: number;
  maxQueued?: number;
  maxWaitSeconds?: number;
}>;

type GivenModel = Readonly<{
  backends: readonly GivenBackend[];
  contextLength?: number;
  cacheTtlSeconds?: number;
  dropUnsupportedTools?: boolean;
  /** Micro-units per million tokens, for input and output. */
  prices?: readonly [number | null, number | null];
  priceCard?: PriceCard;
}>;

/** Targets are names of models or pools. */
type GivenRule = Readonly<{
  when?: Partial<Record<keyof ConditionValues, unknown>>;
  targets?: readonly string[];
  deny?: Readonly<{ status: number; message: string }>;
  /** The name of a frontend model. */
  jump?: string;
  tag?: string;
}>;

type GivenFrontendModel = Readonly<{
  rules?: readonly GivenRule[];
  defaults?: readonly string[];
  maxModelLen?: number;
}>;

/** Weights keyed by member name. */
type GivenPool = Readonly<{
  policy?: PoolPolicy;
  members: Readonly<Record<string, number>>;
}>;

type GivenBudget = Readonly<{
  tokens?: readonly [used: number, total: number];
  /** RFC 3339. */
  windowEnd?: string;
  costMicros?: readonly [used: number, total: number];
}>;

/** A minute. */
type GivenLimits = Readonly<{ requests?: number; tokens?: number }>;

type GivenKey = Readonly<{
  grants?: readonly string[];
  expiresAt?: string;
  budget?: GivenBudget;
  limits?: GivenLimits;
}>;

export type GivenSnapshot = Readonly<{
  version?: number;
  models: Readonly<Record<string, GivenModel>>;
  /** Keyed by the plaintext API key. `grants` are resources; every model by default. */
  keys?: Readonly<Record<string, GivenKey>>;
  frontendModels?: Readonly<Record<string, GivenFrontendModel>>;
  pools?: Readonly<Record<string, GivenPool>>;
  /** Keyed by name; the values name the classes that each refines. */
  promptClasses?: Readonly<Record<string, readonly string[]>>;
  /** The name of the fallback model. */
  fallback?: string;
}>;

/** The headers that the control plane sets per protocol. */
const nativeHeaders: ReadonlyMap<string | undefined, string> = new Map([
  ['anthropic', 'x-api-key'],
  ['gemini', 'x-goog-api-key'],
]);

/** Access is open if no keys are given. */
export function givenSnapshot(given: GivenSnapshot): Snapshot {
  const secrets: Record<string, string> = {};
  const providers: unknown[] = [];
  const dropped_providers: unknown[] = [];
  const names = Object.keys(given.models);
  const models = names.map((name, index) => ({
    id: index + 1,
    name,
    input_price_per_mtok: given.models[name]?.prices?.[0] ?? null,
    output_price_per_mtok: given.models[name]?.prices?.[1] ?? null,
    price_card: given.models[name]?.priceCard ?? null,
    cache_ttl_seconds: given.models[name]?.cacheTtlSeconds ?? null,
    context_length: given.models[name]?.contextLength ?? null,
    drop_unsupported_tools: given.models[name]?.dropUnsupportedTools ?? null,
    backends: (given.models[name]?.backends ?? []).map((backend) => {
      const id = providers.length + 1;
      if (backend.credential !== undefined) secrets[`provider-${id}`] = backend.credential;
      if (backend.isOut) dropped_providers.push({ provider_id: id, reason: 'out of rotation' });
      providers.push({
        id,
        name: `provider-${id}`,
        api_base: backend.apiBase,
        protocol: backend.protocol ?? 'openai',
        auth_header: nativeHeaders.get(backend.protocol) ?? 'authorization',
        auth_scheme: nativeHeaders.has(backend.protocol) ? null : 'Bearer',
        credential_kind: 'static',
        credential_ref: backend.credential === undefined ? null : `provider-${id}`,
      });
      return {
        provider_id: id,
        upstream_model: backend.upstreamModel ?? name,
        default_max_tokens: backend.defaultMaxTokens ?? null,
        admission_max_concurrent: backend.flow?.maxConcurrent ?? null,
        admission_high_water: backend.flow?.highWater ?? null,
        admission_max_queued: backend.flow?.maxQueued ?? null,
        admission_max_wait_seconds: backend.flow?.maxWaitSeconds ?? null,
        upstream_timeout_seconds: backend.timeoutSeconds ?? null,
      };
    }),
  }));
  const keys = Object.entries(given.keys ?? {});
  for (const [index, [key]] of keys.entries()) secrets[`key-${index + 1}`] = hash('sha256', key);
  const whole = snapshotSchema.parse({
    schema: snapshotSchemaVersion,
    version: given.version ?? 1,
    config_hash: '',
    log: { id: 'test', position: given.version ?? 1, hash: '' },
    config: {
      principals: keys.map(([, { budget, limits }], index) => ({
        id: index + 1,
        role_ids: [index + 1],
        budget: budgetOf(budget),
        limits:
          limits === undefined
            ? null
            : {
                requests_per_min: limits.requests ?? null,
                tokens_per_min: limits.tokens ?? null,
              },
      })),
      roles: keys.map(([, { grants }], index) => ({
        id: index + 1,
        name: `role-${index + 1}`,
        permissions: (grants ?? ['model/*']).map((resource) => ({
          verb: 'model:invoke',
          resource,
        })),
      })),
      api_keys: keys.map(([, { expiresAt }], index) => ({
        id: index + 1,
        principal_id: index + 1,
        verifier_ref: `key-${index + 1}`,
        expires_at: expiresAt ?? null,
      })),
      providers,
      models,
      ...routingOf(given),
      settings: {
        open: given.keys === undefined,
        fallback_model_id: given.fallback === undefined ? null : names.indexOf(given.fallback) + 1,
      },
    },
    secrets,
    overlay: {
      seq: 0,
      dropped_providers,
      budgets: keys.map(([, { budget }], index) =>
        Object.assign(
          {
            principal_id: index + 1,
            tokens_used: budget?.tokens?.[0] ?? 0,
            cost_used_micros: budget?.costMicros?.[0] ?? 0,
          },
          budget?.windowEnd === undefined ? {} : { window_end: budget.windowEnd },
        ),
      ),
    },
  });
  return { ...whole, config_hash: configHash(whole.config) };
}

const budgetOf = (budget: GivenBudget | undefined) =>
  budget === undefined
    ? null
    : {
        tokens_total: budget.tokens?.[1] ?? null,
        cost_total_micros: budget.costMicros?.[1] ?? null,
        window: 'monthly',
      };

/** Ids are positions starting at 1. An unknown name gets an unused id. */
const idIn = (names: object, name: string): number => Object.keys(names).indexOf(name) + 1 || 999;

function routingOf(given: GivenSnapshot) {
  const { models, pools = {}, frontendModels = {}, promptClasses = {} } = given;
  const targetOf = (name: string) =>
    name in pools
      ? { model_id: null, pool_id: idIn(pools, name) }
      : { model_id: idIn(models, name), pool_id: null };
  const poolEntries = Object.entries(pools);
  const poolOf = ([name, { policy, members }]: (typeof poolEntries)[number]) => ({
    id: idIn(pools, name),
    name,
    policy: policy ?? null,
    ...poolMembers(
      Object.entries(members).map(([model, weight]) => ({ model_id: idIn(models, model), weight })),
    ),
  });
  let rules = 0;
  const ruleOf = (rule: GivenRule, position: number) => ({
    id: ++rules,
    position,
    action: rule.deny === undefined ? (rule.jump === undefined ? 'route' : 'jump') : 'deny',
    conditions: { ...noConditions, ...rule.when },
    targets: (rule.targets ?? []).map(targetOf),
    deny_status: rule.deny?.status ?? null,
    deny_message: rule.deny?.message ?? null,
    jump_to: rule.jump === undefined ? null : idIn(frontendModels, rule.jump),
    tag: rule.tag ?? null,
  });
  return {
    frontend_models: Object.entries(frontendModels).map(([name, frontendModel]) => ({
      id: idIn(frontendModels, name),
      name,
      max_model_len: frontendModel.maxModelLen ?? null,
      rules: (frontendModel.rules ?? []).map(ruleOf),
      default_targets: (frontendModel.defaults ?? []).map(targetOf),
    })),
    pools: poolEntries.map(poolOf),
    prompt_classes: Object.entries(promptClasses).map(([name, refines]) => ({
      id: idIn(promptClasses, name),
      name,
      tier: refines.length === 0 ? 'fast' : 'refined',
      min_margin: 0.1,
      refines: refines.map((refined) => idIn(promptClasses, refined)),
    })),
  };
}
