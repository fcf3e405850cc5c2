// Defines a delta: what changed between two snapshots of the same log. It names both by their roots.
// `base` identifies the snapshot that it applies to, and `root` verifies the result.

import { z } from 'zod';

import type { ListName } from '../paged.ts';
import {
  budgetUse,
  snapshotApiKey,
  snapshotClassifier,
  snapshotFrontendModel,
  snapshotModel,
  snapshotOverlay,
  snapshotPool,
  snapshotPrincipal,
  snapshotPromptClass,
  snapshotProvider,
  snapshotRole,
  snapshotSettings,
  snapshot,
} from '../schema.ts';

/** The media type of a delta. A proxy that cannot apply deltas never asks for one. */
export const deltaMediaType = 'application/vnd.gw.snapshot-delta+json';
/** The request header with the root of the snapshot that a proxy holds. */
export const baseHeader = 'x-gw-snapshot-base';
/** The response header with the root of a whole snapshot. */
export const rootHeader = 'x-gw-snapshot-root';

/** `set` has the members that are new or changed, `removed` the ids of those that are gone. */
const changeOf = <Member extends z.ZodType>(member: Member) =>
  z.object({ set: z.array(member).readonly(), removed: z.array(z.int()).readonly() });

const hex = z.string().regex(/^[0-9a-f]{64}$/);

const shared = {
  base: hex,
  root: hex,
  ...snapshot.pick({ version: true, config_hash: true, log: true }).shape,
  secrets: z.object({
    set: z.record(z.string(), z.string()),
    removed: z.array(z.string()).readonly(),
  }),
};

/** Absent parts are unchanged. */
export const snapshotDelta = z.object({
  ...shared,
  config: z.object({
    principals: changeOf(snapshotPrincipal).optional(),
    roles: changeOf(snapshotRole).optional(),
    api_keys: changeOf(snapshotApiKey).optional(),
    providers: changeOf(snapshotProvider).optional(),
    models: changeOf(snapshotModel).optional(),
    frontend_models: changeOf(snapshotFrontendModel).optional(),
    pools: changeOf(snapshotPool).optional(),
    prompt_classes: changeOf(snapshotPromptClass).optional(),
  }),
  settings: snapshotSettings.optional(),
  classifier: snapshotClassifier.optional(),
  overlay: snapshotOverlay.pick({ seq: true }).extend({
    budgets: changeOf(budgetUse),
    tokens: snapshotOverlay.shape.tokens.unwrap().optional(),
    dropped_providers: snapshotOverlay.shape.dropped_providers.unwrap().optional(),
  }),
});

/** The snapshot cache stores deltas as a member. */
export const storedDelta = z.object({ delta: snapshotDelta });
/** Members of a snapshot in the cache, which earlier releases do not write. */
export const storedLink = z.object({
  root: z.string().nullable().default(null),
  chain: z.string().default(''),
});

const loose = z.looseObject({ id: z.int() });
const looseChange = changeOf(loose).optional();
const looseBudget = z.looseObject({ principal_id: z.int() });

/**
 * The same with fields that this release does not know. The root covers them, so digests are
 * computed from this form.
 */
export const receivedDelta = z.object({
  ...shared,
  config: z.object({
    principals: looseChange,
    roles: looseChange,
    api_keys: looseChange,
    providers: looseChange,
    models: looseChange,
    frontend_models: looseChange,
    pools: looseChange,
    prompt_classes: looseChange,
  }),
  settings: z.unknown().optional(),
  classifier: z.unknown().optional(),
  overlay: z.looseObject({ budgets: changeOf(looseBudget) }),
});

type Identified = Readonly<{ id: number }>;

/** A snapshot with fields that this release does not know. */
export type ReceivedSnapshot = Readonly<{
  schema: number;
  config: Readonly<Record<ListName, readonly Identified[]> & { settings: unknown }>;
  secrets: Readonly<Record<string, string>>;
  classifier: unknown;
  overlay: Readonly<{ budgets: readonly Readonly<{ principal_id: number }>[] }>;
}>;

const listNames: readonly ListName[] = [
  'principals',
  'roles',
  'api_keys',
  'providers',
  'models',
  'frontend_models',
  'pools',
  'prompt_classes',
];

/**
 * Only for a value that fits the schema of snapshots. It checks that no part has a default, without
 * the copy that a schema makes of each member.
 */
export function isReceivedSnapshot(value: unknown): value is ReceivedSnapshot {
  if (!isObject(value)) return false;
  const { schema, config, secrets, classifier, overlay } = value;
  return (
    typeof schema === 'number' &&
    isObject(config) &&
    listNames.every((name) => Array.isArray(config[name])) &&
    isObject(secrets) &&
    isObject(classifier) &&
    isObject(overlay) &&
    Array.isArray(overlay['budgets'])
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

export type SnapshotDelta = Readonly<z.output<typeof snapshotDelta>>;
export type ReceivedDelta = Readonly<z.output<typeof receivedDelta>>;
/** A delta before the roots are known. */
export type SnapshotChanges = Omit<SnapshotDelta, 'base' | 'root'>;
