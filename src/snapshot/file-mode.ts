// Reads a configuration file into a snapshot (specification, "File-mode configuration file"). The
// format is a superset of a common one: keys that are not known here are ignored.

import { hash } from 'node:crypto';

import { parse } from 'yaml';
import { z } from 'zod';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { protocol, protocolAliases } from '../lib/vocabulary.ts';
import type { Protocol } from '../lib/vocabulary.ts';
import { configHash } from './hash.ts';
import { snapshot, snapshotSchemaVersion } from './schema.ts';
import type { Snapshot } from './schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const fileBytesMax = 16 * 1024 * 1024;

/** `warnings` name what the file asks for and this gateway does not do. */
export type FileSnapshot = Readonly<{ snapshot: Snapshot; warnings: readonly string[] }>;

const reference = 'os.environ/';

/** A reference that is left names a variable that is not set: it matters only where it is read. */
const text = z
  .union([z.string(), z.number().transform(String)])
  .refine((value) => !value.startsWith(reference), {
    error: ({ input }) =>
      `environment variable ${String(input).slice(reference.length)} is not set`,
  });
const optionalText = text.nullish();

const deployment = z.object({
  model_name: text.pipe(z.string().min(1)),
  litellm_params: z.object({
    model: text.pipe(z.string().min(1)),
    api_base: optionalText,
    api_key: optionalText,
    protocol: z
      .preprocess(
        (value) => (typeof value === 'string' ? (protocolAliases[value] ?? value) : value),
        protocol,
      )
      .default('openai'),
    auth_header: optionalText,
    auth_scheme: optionalText,
    default_max_tokens: z.int().positive().nullish(),
  }),
});
type Deployment = z.output<typeof deployment>;

const fileKey = z.object({
  key: text.pipe(z.string().min(1)),
  name: optionalText,
  models: z.array(text).nullish(),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
  limits: z.unknown().optional(),
  budget: z.unknown().optional(),
});
type FileKey = z.output<typeof fileKey>;

const file = z.object({
  model_list: z.array(deployment).min(1),
  general_settings: z.object({ master_key: optionalText }).nullish(),
  auth: z.object({ keys: z.array(fileKey).nullish() }).nullish(),
});
type File = z.output<typeof file>;

/** Values of api_key that files use to say that there is none. */
const placeholderKeys: ReadonlySet<string> = new Set(['', 'not-needed', 'none', 'null']);

const transportPrefix = /^(?:openai|vllm|hosted_vllm|openai_like)\//;

const authDefaults: Readonly<
  Record<Protocol, Readonly<{ header: string; scheme: string | null }>>
> = {
  openai: { header: 'authorization', scheme: 'Bearer' },
  anthropic: { header: 'x-api-key', scheme: null },
  gemini: { header: 'x-goog-api-key', scheme: null },
};

/** `masterKey` stands for general_settings.master_key when the file has none. */
export function readConfigFile(
  source: string,
  environment: Environment,
  masterKey: string | null = null,
): FileSnapshot | Refusal {
  const tree = parseYaml(source);
  if (tree instanceof Error) return refuse('invalid', `not valid YAML: ${tree.message}`);
  const parsed = file.safeParse(resolveEnvironment(tree, environment));
  if (!parsed.success) return refuseIssue(parsed.error);
  const withoutAddress = parsed.data.model_list.findIndex(
    ({ litellm_params: parameters }) => (parameters.api_base ?? '') === '',
  );
  if (withoutAddress !== -1) {
    const param = `model_list[${withoutAddress}].litellm_params.api_base`;
    return refuse('invalid', `${param} is required`, { param });
  }
  return buildSnapshot(parsed.data, hash('sha256', source), masterKey);
}

function parseYaml(source: string): unknown {
  try {
    // The last of two equal keys wins, as in the format that this one extends.
    const tree: unknown = parse(source, { uniqueKeys: false });
    return tree;
  } catch (error) {
    return error instanceof Error ? error : new Error('unreadable', { cause: error });
  }
}

/** `os.environ/NAME` may stand for any string; one that cannot be resolved is left as it is. */
function resolveEnvironment(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string' && value.startsWith(reference)) {
    const name = value.slice(reference.length);
    return (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? value;
  }
  if (Array.isArray(value)) return value.map((member) => resolveEnvironment(member, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveEnvironment(member, environment)]),
  );
}

function refuseIssue(error: z.ZodError): Refusal {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const param = path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
  return refuse('invalid', `${param === '' ? 'file' : param}: ${issue?.message ?? 'invalid'}`, {
    param,
  });
}

/**
 * What a snapshot is made of, while it is being made: plain records that the schema checks at the
 * end.
 */
type Draft = Readonly<{
  secrets: Record<string, string>;
  providers: Map<string, Readonly<Record<string, unknown> & { id: number }>>;
  models: Map<string, Readonly<{ id: number; backends: unknown[] }>>;
}>;

function buildSnapshot(
  source: File,
  digest: string,
  masterKey: string | null,
): FileSnapshot | Refusal {
  const draft: Draft = { secrets: {}, providers: new Map(), models: new Map() };
  for (const entry of source.model_list) addDeployment(draft, entry);
  const keys = collectKeys(source, masterKey);
  const config = {
    ...addKeys(draft, keys),
    providers: [...draft.providers.values()],
    models: [...draft.models].map(([name, { id, backends }]) => ({
      id,
      name,
      input_price_per_mtok: null,
      output_price_per_mtok: null,
      cache_ttl_seconds: null,
      context_length: null,
      backends,
    })),
    settings: { open: keys === null, fallback_model_id: null },
  };
  const whole = snapshot.safeParse({
    schema: snapshotSchemaVersion,
    // Six bytes stay a safe integer; versions of files are compared for equality only.
    version: Number.parseInt(digest.slice(0, 12), 16),
    config_hash: '',
    log: { id: 'file', position: 0, hash: digest },
    config,
    secrets: draft.secrets,
    overlay: { seq: 0 },
  });
  if (!whole.success) return refuseIssue(whole.error);
  return {
    snapshot: { ...whole.data, config_hash: configHash(whole.data.config) },
    warnings: keys === null ? [] : keys.flatMap(unheeded),
  };
}

function unheeded(key: FileKey, index: number): string[] {
  return (['limits', 'budget'] as const)
    .filter((field) => key[field] !== undefined && key[field] !== null)
    .map((field) => `auth.keys[${index}].${field} is not enforced`);
}

function addDeployment(draft: Draft, entry: Deployment): void {
  const parameters = entry.litellm_params;
  const model = draft.models.get(entry.model_name) ?? { id: draft.models.size + 1, backends: [] };
  draft.models.set(entry.model_name, model);
  model.backends.push({
    provider_id: addProvider(draft, parameters),
    upstream_model: parameters.model.replace(transportPrefix, ''),
    default_max_tokens: parameters.default_max_tokens ?? null,
    admission_max_concurrent: null,
    admission_high_water: null,
    admission_max_queued: null,
    admission_max_wait_seconds: null,
    upstream_timeout_seconds: null,
  });
}

/** Entries that share an address, a credential and its spelling share a provider. */
function addProvider(draft: Draft, parameters: Deployment['litellm_params']): number {
  const apiBase = (parameters.api_base ?? '').replace(/\/+$/, '');
  const written = parameters.api_key ?? '';
  const credential = placeholderKeys.has(written.toLowerCase()) ? null : written;
  const defaults = authDefaults[parameters.protocol];
  const scheme = parameters.auth_scheme ?? defaults.scheme;
  const header = (parameters.auth_header ?? defaults.header).toLowerCase();
  const identity = JSON.stringify([apiBase, credential, parameters.protocol, header, scheme]);
  const known = draft.providers.get(identity);
  if (known !== undefined) return known.id;
  const id = draft.providers.size + 1;
  const reference = `provider-${id}`;
  if (credential !== null) draft.secrets[reference] = credential;
  draft.providers.set(identity, {
    id,
    name: `${apiBase}#${id}`,
    api_base: apiBase,
    protocol: parameters.protocol,
    auth_header: header,
    auth_scheme: scheme === '' ? null : scheme,
    credential_kind: 'static',
    credential_ref: credential === null ? null : reference,
  });
  return id;
}

/**
 * Null when the file asks for no key at all; an `auth` block that is empty lets nobody in. A master
 * key is a key for every model.
 */
function collectKeys(source: File, masterKey: string | null): readonly FileKey[] | null {
  const master = source.general_settings?.master_key ?? masterKey ?? '';
  const masterKeys: FileKey[] =
    master === ''
      ? []
      : [{ key: master, name: 'master_key', models: ['*'], limits: null, budget: null }];
  if (source.auth === undefined && masterKeys.length === 0) return null;
  return [...(source.auth?.keys ?? []), ...masterKeys];
}

/** One principal and one role a key: in a file the grants stand beside the key. */
function addKeys(draft: Draft, keys: readonly FileKey[] | null) {
  const numbered = (keys ?? []).map((key, index) => ({ key, id: index + 1 }));
  for (const { key, id } of numbered) draft.secrets[`key-${id}`] = hash('sha256', key.key);
  return {
    principals: numbered.map(({ id }) => ({ id, role_ids: [id] })),
    roles: numbered.map(({ key, id }) => ({
      id,
      name: `key:${key.name ?? id}`,
      permissions: (key.models ?? []).map((name) => ({
        verb: 'model:invoke',
        resource: `model/${name}`,
      })),
    })),
    api_keys: numbered.map(({ key, id }) => ({
      id,
      principal_id: id,
      verifier_ref: `key-${id}`,
      expires_at: key.expires_at ?? null,
    })),
  };
}
