// The snapshot: all that a proxy knows. Control plane and gateway share this schema and nothing else
// (specification, "Control-plane protocol"). It is normalised: one list a noun, linked by id.
// Every member added after version 1 must have a default, so that an old control plane can serve a new proxy and the reverse.

import { z } from 'zod';

import { apiKeyId, modelId, principalId, providerId, roleId } from '../lib/ids.ts';
import { credentialKind, protocol, verb } from '../lib/vocabulary.ts';

/** Raised when a reader of the older schema would misread the newer one. */
export const snapshotSchemaVersion = 1;

const timestamp = z.iso.datetime({ offset: true });

export const snapshotPrincipal = z.object({
  id: principalId,
  role_ids: z.array(roleId).readonly(),
});

export const snapshotRole = z.object({
  id: roleId,
  name: z.string(),
  permissions: z.array(z.object({ verb, resource: z.string() })).readonly(),
});

/** Disabled keys are left out. `verifier_ref` names the secret that holds the SHA-256 of the key, 64 hex digits. */
export const snapshotApiKey = z.object({
  id: apiKeyId,
  principal_id: principalId,
  verifier_ref: z.string(),
  expires_at: timestamp.nullable(),
});

/** `credential_ref` names the secret that holds the credential in clear; null when the provider has none. */
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

/** One endpoint that serves a model. The admission fields are the specification's flow-control fields; null is the default. */
export const snapshotBackend = z.object({
  provider_id: providerId,
  upstream_model: z.string(),
  default_max_tokens: z.int().positive().nullable(),
  admission_max_concurrent: z.int().nullable(),
  admission_high_water: z.int().nullable(),
  admission_max_queued: z.int().nullable(),
  admission_max_wait_seconds: z.int().nullable(),
  upstream_timeout_seconds: z.int().nullable(),
});

/** Prices are micro-units of the quoted currency per million tokens; null is unpriced. */
export const snapshotModel = z.object({
  id: modelId,
  name: z.string(),
  input_price_per_mtok: z.int().nullable(),
  output_price_per_mtok: z.int().nullable(),
  cache_ttl_seconds: z.int().nullable(),
  context_length: z.int().nullable(),
  backends: z.array(snapshotBackend).readonly(),
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
  settings: snapshotSettings,
});

/**
 * `version` is the position of the last event that changed the configuration; `log` is the head that this snapshot was built at.
 * `config_hash` covers `config` alone (see hash.ts); `secrets` maps each ref in it to its plaintext.
 * `overlay` holds what changes without a new version; its `seq` grows with every change of it.
 */
export const snapshot = z.object({
  schema: z.int(),
  version: z.int().nonnegative(),
  config_hash: z.string(),
  log: z.object({ id: z.string(), position: z.int().nonnegative(), hash: z.string() }),
  config: snapshotConfig,
  secrets: z.record(z.string(), z.string()),
  overlay: z.object({ seq: z.int().nonnegative() }),
});

export type SnapshotPrincipal = z.output<typeof snapshotPrincipal>;
export type SnapshotRole = z.output<typeof snapshotRole>;
export type SnapshotApiKey = z.output<typeof snapshotApiKey>;
export type SnapshotProvider = z.output<typeof snapshotProvider>;
export type SnapshotBackend = z.output<typeof snapshotBackend>;
export type SnapshotModel = z.output<typeof snapshotModel>;
export type SnapshotSettings = z.output<typeof snapshotSettings>;
export type SnapshotConfig = z.output<typeof snapshotConfig>;
export type Snapshot = z.output<typeof snapshot>;

/** The ETag of a snapshot: the version alone drops response caches, the overlay alone does not. */
export const snapshotEtag = (value: Pick<Snapshot, 'version' | 'overlay'>): string =>
  `"${value.version}.${value.overlay.seq}"`;
