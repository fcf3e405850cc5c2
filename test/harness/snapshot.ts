// Makes a whole snapshot of the few facts that a test is about.

import { hash } from 'node:crypto';

import { configHash } from '../../src/snapshot/hash.ts';
import { snapshot as snapshotSchema, snapshotSchemaVersion } from '../../src/snapshot/schema.ts';
import type { Snapshot } from '../../src/snapshot/schema.ts';

type GivenBackend = Readonly<{
  apiBase: string;
  credential?: string;
  upstreamModel?: string;
  protocol?: string;
  timeoutSeconds?: number;
}>;

type GivenModel = Readonly<{ backends: readonly GivenBackend[]; contextLength?: number }>;

export type GivenSnapshot = Readonly<{
  version?: number;
  models: Readonly<Record<string, GivenModel>>;
  /** By key in clear; `grants` are resources, every model when absent. */
  keys?: Readonly<Record<string, Readonly<{ grants?: readonly string[]; expiresAt?: string }>>>;
  /** The name of the fallback model. */
  fallback?: string;
}>;

/** Open when no keys are given. */
export function givenSnapshot(given: GivenSnapshot): Snapshot {
  const secrets: Record<string, string> = {};
  const providers: unknown[] = [];
  const names = Object.keys(given.models);
  const models = names.map((name, index) => ({
    id: index + 1,
    name,
    input_price_per_mtok: null,
    output_price_per_mtok: null,
    cache_ttl_seconds: null,
    context_length: given.models[name]?.contextLength ?? null,
    backends: (given.models[name]?.backends ?? []).map((backend) => {
      const id = providers.length + 1;
      if (backend.credential !== undefined) secrets[`provider-${id}`] = backend.credential;
      providers.push({
        id,
        name: `provider-${id}`,
        api_base: backend.apiBase,
        protocol: backend.protocol ?? 'openai',
        auth_header: 'authorization',
        auth_scheme: 'Bearer',
        credential_kind: 'static',
        credential_ref: backend.credential === undefined ? null : `provider-${id}`,
      });
      return {
        provider_id: id,
        upstream_model: backend.upstreamModel ?? name,
        default_max_tokens: null,
        admission_max_concurrent: null,
        admission_high_water: null,
        admission_max_queued: null,
        admission_max_wait_seconds: null,
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
      principals: keys.map((_, index) => ({ id: index + 1, role_ids: [index + 1] })),
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
      settings: {
        open: given.keys === undefined,
        fallback_model_id: given.fallback === undefined ? null : names.indexOf(given.fallback) + 1,
      },
    },
    secrets,
    overlay: { seq: 0 },
  });
  return { ...whole, config_hash: configHash(whole.config) };
}
