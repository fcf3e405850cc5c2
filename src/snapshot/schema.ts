// Defines the snapshot: everything that a proxy knows. Control plane and gateway share only this
// schema (specification, "Control-plane protocol"). It is normalized: one list per noun, linked by
// id. Members added after version 1 must have a default, so that old and new control planes and
// proxies work together.

import { z } from 'zod';

import { snapshotConditions } from '../conditions/schemas.ts';
import { backendFields, modelFields } from '../fields/model.ts';
import { shapeOf } from '../fields/schemas.ts';
import { storedPriceCard } from '../usage/price-card.ts';
import {
  apiKeyId,
  frontendModelId,
  modelId,
  poolId,
  principalId,
  promptClassId,
  providerId,
  roleId,
  ruleId,
} from '../lib/ids.ts';
import {
  budgetCalendar,
  budgetWindow,
  credentialKind,
  poolPolicy,
  promptClassTier,
  protocol,
  ruleAction,
  verb,
} from '../lib/vocabulary.ts';

/** Increase it if a reader of the older schema would misread the newer one. */
export const snapshotSchemaVersion = 1;

const timestamp = z.iso.datetime({ offset: true });

/** A null dimension is unlimited. */
export const snapshotLimits = z.object({
  requests_per_min: z.int().positive().nullable(),
  tokens_per_min: z.int().positive().nullable(),
});

/** The spending is in the overlay. `calendar` is for File mode, where a gateway counts windows. */
export const snapshotBudget = z.object({
  tokens_total: z.int().nonnegative().nullable(),
  cost_total_micros: z.int().nonnegative().nullable(),
  window: budgetWindow,
  calendar: budgetCalendar.optional(),
  /**
   * Amounts that add to the caps between two times. Proxies that do not know them use the caps
   * alone.
   */
  increases: z
    .array(
      z.object({
        tokens: z.int().positive().nullable(),
        cost_micros: z.int().positive().nullable(),
        starts_at: timestamp,
        ends_at: timestamp,
      }),
    )
    .readonly()
    .optional(),
});

/** Null limits and a null budget mean unlimited. */
export const snapshotPrincipal = z.object({
  id: principalId,
  role_ids: z.array(roleId).readonly(),
  limits: snapshotLimits.nullable().default(null),
  budget: snapshotBudget.nullable().default(null),
});

export const snapshotRole = z.object({
  id: roleId,
  name: z.string(),
  permissions: z.array(z.object({ verb, resource: z.string() })).readonly(),
});

/**
 * Excludes disabled keys. `verifier_ref` names the secret with the SHA-256 of the key, 64 hex
 * digits.
 */
export const snapshotApiKey = z.object({
  id: apiKeyId,
  principal_id: principalId,
  verifier_ref: z.string(),
  expires_at: timestamp.nullable(),
});

/**
 * `credential_ref` names the secret with the credential in clear text; null without one. The key
 * file of a service account is never included: the overlay has its access token.
 */
export const snapshotProvider = z.object({
  id: providerId,
  name: z.string(),
  api_base: z.string(),
  protocol,
  auth_header: z.string(),
  auth_scheme: z.string().nullable(),
  credential_kind: credentialKind,
  credential_ref: z.string().nullable(),
});

/**
 * One endpoint that serves a model. Null in a flow-control field means the default (specification).
 */
export const snapshotBackend = z.object({
  provider_id: providerId,
  upstream_model: z.string(),
  ...shapeOf(backendFields, 'snapshot'),
});

/** The base prices and the card that apply from a time in epoch milliseconds. */
export const snapshotPrices = z.object({
  version: z.int(),
  from_ms: z.int(),
  input: z.int().nullable(),
  output: z.int().nullable(),
  card: storedPriceCard.nullable(),
});

/** Prices are micro-units of the quoted currency per million tokens. Null means unpriced. */
export const snapshotModel = z.object({
  id: modelId,
  name: z.string(),
  ...shapeOf(modelFields, 'snapshot'),
  /** If the newest prices are scheduled: all that apply until and from then. */
  price_versions: z.array(snapshotPrices).readonly().optional(),
  backends: z.array(snapshotBackend).readonly(),
  /**
   * Learned from a registered host and never edited by an operator (src/snapshot/closed-models.ts).
   */
  learned: z.literal(true).optional(),
});

/** Exactly one of the two is set. */
export const snapshotTarget = z.object({
  model_id: modelId.nullable(),
  pool_id: poolId.nullable(),
});

export const snapshotRule = z.object({
  id: ruleId,
  position: z.int().nonnegative(),
  action: ruleAction,
  conditions: snapshotConditions,
  targets: z.array(snapshotTarget).readonly(),
  deny_status: z.int().nullable(),
  deny_message: z.string().nullable(),
  jump_to: frontendModelId.nullable(),
  tag: z.string().nullable(),
});

/** Rules in order. `default_targets` are used if no rule matches. */
export const snapshotFrontendModel = z.object({
  id: frontendModelId,
  name: z.string(),
  max_model_len: z.int().positive().nullable(),
  rules: z.array(snapshotRule).readonly(),
  default_targets: z.array(snapshotTarget).readonly(),
});

export const snapshotPool = z.object({
  id: poolId,
  name: z.string(),
  policy: poolPolicy.nullable(),
  members: z.array(z.object({ model_id: modelId, weight: z.int().positive() })).readonly(),
  /**
   * Members of weight 0, in order. Absent if there are none. Proxies of earlier releases ignore
   * them.
   */
  drained: z.array(modelId).readonly().optional(),
});

export const snapshotPromptClass = z.object({
  id: promptClassId,
  name: z.string(),
  tier: promptClassTier,
  min_margin: z.number(),
  refines: z.array(promptClassId).readonly(),
});

/** `open`: no key is required (File mode without `auth:`). */
export const snapshotSettings = z.object({
  open: z.boolean(),
  fallback_model_id: modelId.nullable(),
});

export const snapshotConfig = z.object({
  principals: z.array(snapshotPrincipal).readonly(),
  roles: z.array(snapshotRole).readonly(),
  api_keys: z.array(snapshotApiKey).readonly(),
  providers: z.array(snapshotProvider).readonly(),
  models: z.array(snapshotModel).readonly(),
  frontend_models: z.array(snapshotFrontendModel).readonly().default([]),
  pools: z.array(snapshotPool).readonly().default([]),
  prompt_classes: z.array(snapshotPromptClass).readonly().default([]),
  settings: snapshotSettings,
});

/** Vectors of different encoders are not comparable. */
export const snapshotCentroids = z.object({
  encoder: z.string(),
  classes: z
    .array(z.object({ id: promptClassId, centroid: z.array(z.number()).readonly() }))
    .readonly(),
});

/** Null if no class has this tier. The example texts never leave the control plane. */
export const snapshotClassifier = z.object({
  fast: snapshotCentroids.nullable().default(null),
  refined: snapshotCentroids.nullable().default(null),
});

/** In one window: tokens, and micro-units of money. */
export const budgetUse = z.object({
  principal_id: principalId,
  tokens_used: z.int().nonnegative(),
  cost_used_micros: z.int().nonnegative(),
  /** Null from control planes that do not report it. */
  window_start: timestamp.nullable().default(null),
  /** When the next window starts. Absent from control planes that do not report it. */
  window_end: timestamp.optional(),
});

/** The part that changes without a new version. `seq` increases with every change. */
export const snapshotOverlay = z.object({
  seq: z.int().nonnegative(),
  budgets: z.array(budgetUse).readonly().default([]),
  /** Access tokens of providers whose credential is a service account's key file (Gateway rule 15). */
  tokens: z
    .array(z.object({ provider_id: providerId, token: z.string() }))
    .readonly()
    .default([]),
  /**
   * Providers that are unreachable or lack a credential, with the reason. Nothing is routed to
   * them.
   */
  dropped_providers: z
    .array(z.object({ provider_id: providerId, reason: z.string() }))
    .readonly()
    .default([]),
});

/**
 * `version` is the position of the last event that changed the configuration. `log` is the log head
 * when the snapshot was built. `config_hash` covers only `config` (hash.ts). `secrets` maps each
 * ref in it to clear text.
 */
export const snapshot = z.object({
  schema: z.int(),
  version: z.int().nonnegative(),
  config_hash: z.string(),
  log: z.object({ id: z.string(), position: z.int().nonnegative(), hash: z.string() }),
  config: snapshotConfig,
  secrets: z.record(z.string(), z.string()),
  classifier: snapshotClassifier.default({ fast: null, refined: null }),
  overlay: snapshotOverlay,
});

export type SnapshotPrincipal = z.output<typeof snapshotPrincipal>;
export type SnapshotRole = z.output<typeof snapshotRole>;
export type SnapshotApiKey = z.output<typeof snapshotApiKey>;
export type SnapshotProvider = z.output<typeof snapshotProvider>;
export type SnapshotBackend = z.output<typeof snapshotBackend>;
export type SnapshotModel = z.output<typeof snapshotModel>;
export type SnapshotLimits = z.output<typeof snapshotLimits>;
export type SnapshotBudget = z.output<typeof snapshotBudget>;
export type SnapshotTarget = z.output<typeof snapshotTarget>;
export type SnapshotRule = z.output<typeof snapshotRule>;
export type SnapshotFrontendModel = z.output<typeof snapshotFrontendModel>;
export type SnapshotPool = z.output<typeof snapshotPool>;
export type SnapshotPromptClass = z.output<typeof snapshotPromptClass>;
export type SnapshotCentroids = z.output<typeof snapshotCentroids>;
export type SnapshotClassifier = z.output<typeof snapshotClassifier>;
export type BudgetUse = z.output<typeof budgetUse>;
export type SnapshotOverlay = z.output<typeof snapshotOverlay>;
export type SnapshotSettings = z.output<typeof snapshotSettings>;
export type SnapshotConfig = z.output<typeof snapshotConfig>;
export type Snapshot = z.output<typeof snapshot>;

/**
 * Includes the hash because a version can denote another configuration: after a failover that lost
 * events, or with another encoder.
 */
export function snapshotEtag({
  version,
  config_hash: configHash,
  overlay,
  classifier,
}: Pick<Snapshot, 'version' | 'config_hash' | 'overlay' | 'classifier'>): string {
  const encoders = [classifier.fast, classifier.refined].flatMap((one) => one?.encoder ?? []);
  const config = configHash.slice(0, configDigits);
  return `"${[version, overlay.seq, config, ...encoders].join('.')}"`;
}

/** These digits of the configuration's hash are in the ETag. */
const configDigits = 16;
