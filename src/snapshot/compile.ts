// Turns a snapshot into lookup tables, once a version: key digest to caller, name to model,
// grants as bits, upstream headers ready to send. Whatever can be made here is never made on a
// request.

import { hash } from 'node:crypto';

import { canonicalJson } from '../lib/canonical-json.ts';
import type { ApiKeyId, ModelId, PrincipalId, ProviderId, RoleId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Protocol } from '../lib/vocabulary.ts';
import { credentialsOf } from './credential.ts';
import type { FoundCredential } from './credential.ts';
import { snapshotSchemaVersion } from './schema.ts';
import type {
  Snapshot,
  SnapshotBackend,
  SnapshotModel,
  SnapshotProvider,
  SnapshotRole,
} from './schema.ts';

export type CompiledBackend = Readonly<{
  /**
   * Equal for an endpoint that did not change, across versions: counters and health stay with it.
   */
  identity: string;
  providerId: ProviderId;
  apiBase: string;
  origin: string;
  /** The path of the API base, without a trailing slash. */
  basePath: string;
  protocol: Protocol;
  upstreamModel: string;
  /** `upstreamModel` as a JSON string, for the splice. */
  upstreamModelJson: Buffer;
  /** Name and value in turn; empty without a credential. */
  credentialHeaders: readonly string[];
  firstByteMs: number | null;
}>;

export type CompiledModel = Readonly<{
  id: ModelId;
  name: string;
  /** Position in the grant bits. */
  index: number;
  contextLength: number | null;
  backends: readonly CompiledBackend[];
}>;

/** Which models may be invoked: one bit a model, shared by all principals of the same roles. */
export type Grants = Readonly<{ all: boolean; bits: Uint32Array }>;

export type Caller = Readonly<{
  /** Null for whoever calls an open gateway. */
  principalId: PrincipalId | null;
  keyId: ApiKeyId | null;
  expiresAtMs: number;
  grants: Grants;
}>;

export type CompiledSnapshot = Readonly<{
  version: number;
  overlaySeq: number;
  /** The caller of every request when no key is required, else null. */
  openCaller: Caller | null;
  /** By SHA-256 of the key, in hex. */
  callers: ReadonlyMap<string, Caller>;
  models: ReadonlyMap<string, CompiledModel>;
  fallback: CompiledModel | null;
  /** What had to be left out, each a sentence for the log. */
  dropped: readonly string[];
}>;

const everyModel: Grants = { all: true, bits: new Uint32Array(0) };

export function mayInvoke(caller: Caller, model: CompiledModel): boolean {
  const { all, bits } = caller.grants;
  return all || ((bits[model.index >>> 5] ?? 0) & (1 << (model.index & 31))) !== 0;
}

/**
 * A part that is broken is dropped alone; only a schema that this reader does not know is
 * refused.
 */
export function compileSnapshot(snapshot: Snapshot): CompiledSnapshot | Refusal {
  if (snapshot.schema > snapshotSchemaVersion) {
    return refuse('invalid', `schema ${snapshot.schema} is newer than ${snapshotSchemaVersion}`);
  }
  const dropped: string[] = [];
  const { config } = snapshot;
  const models = compileModels(snapshot, dropped);
  const fallback = [...models.values()].find(({ id }) => id === config.settings.fallback_model_id);
  return {
    version: snapshot.version,
    overlaySeq: snapshot.overlay.seq,
    openCaller: config.settings.open
      ? { principalId: null, keyId: null, expiresAtMs: Infinity, grants: everyModel }
      : null,
    callers: compileCallers(snapshot, models, dropped),
    models,
    fallback: fallback ?? null,
    dropped,
  };
}

function compileModels(snapshot: Snapshot, dropped: string[]): Map<string, CompiledModel> {
  const providers = new Map(snapshot.config.providers.map((provider) => [provider.id, provider]));
  const credentialOf = credentialsOf(snapshot);
  const models = new Map<string, CompiledModel>();
  for (const model of snapshot.config.models) {
    const backends: CompiledBackend[] = [];
    for (const backend of model.backends) {
      const provider = providers.get(backend.provider_id);
      const compiled =
        provider === undefined
          ? `provider ${backend.provider_id} does not exist`
          : compileBackend({ model, backend, provider }, credentialOf(provider));
      if (typeof compiled === 'string') dropped.push(`model ${model.name}: ${compiled}`);
      else backends.push(compiled);
    }
    const { id, name, context_length: contextLength } = model;
    models.set(name, { id, name, index: models.size, contextLength, backends });
  }
  return models;
}

type Attached = Readonly<{
  model: SnapshotModel;
  backend: SnapshotBackend;
  provider: SnapshotProvider;
}>;

/** The reason, when the backend cannot be used. */
function compileBackend(
  { model, backend, provider }: Attached,
  found: FoundCredential,
): CompiledBackend | string {
  if ('reason' in found) return found.reason;
  const { credential } = found;
  if (credential !== null && !/^[\t\x20-\x7e\x80-\xff]*$/.test(credential)) {
    return `the credential of provider ${provider.name} cannot be sent in a header`;
  }
  const url = URL.canParse(provider.api_base) ? new URL(provider.api_base) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return `the address of provider ${provider.name} is no http or https URL`;
  }
  const scheme = provider.auth_scheme;
  const value = scheme === null || scheme === '' ? credential : `${scheme} ${credential}`;
  const seconds = backend.upstream_timeout_seconds;
  // An access token is renewed every hour, of the same endpoint; another key file has another ref.
  const secret = provider.credential_kind === 'static' ? credential : null;
  return {
    identity: hash('sha256', canonicalJson([model.name, backend, provider, secret])),
    providerId: provider.id,
    apiBase: provider.api_base,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    protocol: provider.protocol,
    upstreamModel: backend.upstream_model,
    upstreamModelJson: Buffer.from(JSON.stringify(backend.upstream_model)),
    credentialHeaders: value === null || credential === null ? [] : [provider.auth_header, value],
    firstByteMs: seconds === null ? null : seconds * 1000,
  };
}

function compileCallers(
  snapshot: Snapshot,
  models: ReadonlyMap<string, CompiledModel>,
  dropped: string[],
): Map<string, Caller> {
  const { config, secrets } = snapshot;
  const grantsOf = grantsByRoles(config.roles, models);
  const principals = new Map(config.principals.map((principal) => [principal.id, principal]));
  const callers = new Map<string, Caller>();
  for (const key of config.api_keys) {
    const principal = principals.get(key.principal_id);
    const verifier = secrets[key.verifier_ref];
    if (principal === undefined || verifier === undefined || !/^[0-9a-f]{64}$/.test(verifier)) {
      dropped.push(`key ${key.id}: its principal or its verifier is missing`);
      continue;
    }
    callers.set(verifier, {
      principalId: principal.id,
      keyId: key.id,
      expiresAtMs: key.expires_at === null ? Infinity : Date.parse(key.expires_at),
      grants: grantsOf(principal.role_ids),
    });
  }
  return callers;
}

/** Principals far outnumber the sets of roles that they hold, so grants are made once a set. */
function grantsByRoles(
  roles: readonly SnapshotRole[],
  models: ReadonlyMap<string, CompiledModel>,
): (roleIds: readonly RoleId[]) => Grants {
  const byId = new Map(roles.map((role) => [role.id, role]));
  const made = new Map<string, Grants>();
  return (roleIds) => {
    const name = roleIds.toSorted((a, b) => a - b).join();
    const known = made.get(name);
    if (known !== undefined) return known;
    const grants = compileGrants(
      roleIds.flatMap((id) => byId.get(id) ?? []),
      models,
    );
    made.set(name, grants);
    return grants;
  };
}

function compileGrants(
  roles: readonly SnapshotRole[],
  models: ReadonlyMap<string, CompiledModel>,
): Grants {
  const bits = new Uint32Array(Math.ceil(models.size / 32));
  const grant = ({ index }: CompiledModel): void => {
    bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
  };
  for (const { verb, resource } of roles.flatMap((role) => role.permissions)) {
    if (verb !== 'model:invoke' || !resource.startsWith('model/')) continue;
    const name = resource.slice('model/'.length);
    if (name === '*') return everyModel;
    if (name.endsWith('*')) {
      const prefix = name.slice(0, -1);
      for (const model of models.values()) if (model.name.startsWith(prefix)) grant(model);
    } else {
      const model = models.get(name);
      if (model !== undefined) grant(model);
    }
  }
  return { all: false, bits };
}
