// Converts the configuration to the records of declarative files, for plans and exports. Contains
// no secrets.

import type { Queryable } from '@databases/pg';

import { streamOf } from '../../../events/catalogue.ts';
import { nouns, remoteNouns } from '../../../events/nouns.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import type { Remote } from '../../../events/remote.ts';
import type { StoredSecret } from '../../../events/webhook-endpoint.ts';
import type { Model } from '../../../projections/config/model.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import { defaultSettings } from '../../../projections/config/settings.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { WebhookEndpoint } from '../../../projections/config/webhook-endpoint.ts';
import type { Vault } from '../../db/vault.ts';
import type { Fields, HeldRecord } from '../../deciders/reconcile/records.ts';
import { modelFields } from '../../fields/model.ts';
import { readerOf } from '../../fields/values.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { secretFieldOf } from '../webhooks/endpoints.ts';
import { exportedFrontendModels, exportedPools } from './held-routing.ts';
import { heldCredential, lists } from './format.ts';
import type { ListName } from './format.ts';

/** `revealed` contains people's names and keys' verifiers by ref. */
export type HeldSources = Readonly<{
  state: ConfigState;
  revealed: ReadonlyMap<string, string>;
}>;

export type Held = Readonly<{
  records: readonly HeldRecord[];
  /** Parts that declarative files cannot express. */
  warnings: readonly string[];
}>;

export const revealNames = (
  { db, vault }: Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>,
  { principal, api_key }: ConfigState,
): Promise<ReadonlyMap<string, string>> =>
  vault.reveal(db, [
    ...[...principal.byId.values()].flatMap(({ name }) => name.ref ?? []),
    ...[...api_key.byId.values()].map(({ verifierRef }) => verifierRef),
  ]);

export const nameOfPrincipal =
  (revealed: HeldSources['revealed']) =>
  ({ name, id }: Pick<Principal, 'name' | 'id'>): string =>
    name.text ?? revealed.get(name.ref ?? '') ?? `principal ${id}`;

/**
 * Omits what machines create: providers with a lease, their models, and people who sign in through
 * an identity provider. Also omits revoked keys.
 */
export function heldRecords({ state, revealed }: HeldSources): Held {
  const warnings: string[] = [];
  const nameOf = nameOfPrincipal(revealed);
  const routing = { state, nameOf, warnings };
  const records = [
    ...all('providers', state.provider.byId.values(), providerRecord, fingerprintOf),
    ...all('models', state.model.byId.values(), (one) => modelRecord(state, one)),
    ...all('pools', state.pool.byId.values(), inOrderOf(exportedPools(routing))),
    ...all('prompt_classes', state.prompt_class.byId.values(), (one) => ({
      name: one.name,
      description: one.description,
      tier: one.tier,
      min_margin: one.minMargin,
      refines: one.refines.flatMap((id) => state.prompt_class.byId.get(id)?.name ?? []),
    })),
    ...all(
      'frontend_models',
      state.frontend_model.byId.values(),
      inOrderOf(exportedFrontendModels(routing)),
    ),
    ...all('roles', state.role.byId.values(), ({ name, description, permissions }) => ({
      name,
      description,
      permissions,
    })),
    ...all('principals', state.principal.byId.values(), (one) =>
      principalRecord(state, one, nameOf(one)),
    ),
    ...all('keys', state.api_key.byId.values(), (one) => {
      const { name, prefix, verifierRef, expiresAt, principalId, disabled } = one;
      const owner = state.principal.byId.get(principalId);
      const verifier = revealed.get(verifierRef);
      if (disabled || owner === undefined || verifier === undefined) return null;
      const principal = nameOf(owner);
      return { key_sha256: verifier, name, principal, prefix, expires_at: expiresAt };
    }),
    ...remoteNouns.flatMap((noun) =>
      all<Numbered & Parameters<typeof remoteRecord>[0]>(
        nouns[noun].remote.list,
        state[noun].byId.values(),
        remoteRecord,
        fingerprintOf,
      ),
    ),
    ...all('webhooks', state.webhook_endpoint.byId.values(), webhookRecord, (one) =>
      secretsOf(one, (stored) => stored.fingerprint),
    ),
    record('settings', { id: 1 }, settingsRecord(state)),
  ];
  return { records, warnings };
}

/** Visible entities only, ordered by id. `secretsOf` returns the fingerprints of their secrets. */
function all<Entity extends Numbered>(
  list: ListName,
  entities: Iterable<Entity>,
  shownOf: (entity: Entity) => Fields | null,
  secretsOf: (entity: Entity) => Fields = () => ({}),
): readonly HeldRecord[] {
  return [...entities]
    .toSorted((a, b) => a.id - b.id)
    .flatMap((one) => {
      const shown = shownOf(one);
      return shown === null ? [] : record(list, one, shown, secretsOf(one));
    });
}

function inOrderOf(records: readonly Fields[]): () => Fields | null {
  const left = [...records];
  return () => left.shift() ?? null;
}

function record(list: ListName, { id }: Numbered, shown: Fields, secrets: Fields = {}): HeldRecord {
  const { name, key } = namesIn(list, shown);
  const stream = streamOf(lists[list].noun, id);
  const fields = { ...comparable(list, parsedAs(list, shown)), ...secrets };
  return { list, stream, key, name, fields, shown };
}

type Numbered = Readonly<{ id: number }>;
type Credentialed = Readonly<{ credential: StoredCredential | null }>;

const fingerprintOf = ({ credential }: Credentialed): Fields => ({
  upstream_api_key: credential?.fingerprint ?? null,
});

/**
 * A key is identified by its digest, since two may have the same name. The settings are one record.
 */
export function namesIn(list: ListName, shown: Fields): Readonly<{ name: string; key: string }> {
  if (list === 'settings') return { name: list, key: list };
  const name = String(shown['name']);
  if (list !== 'keys') return { name, key: name };
  return { name: `${String(shown['principal'])}/${name}`, key: String(shown['key_sha256']) };
}

/** Unchanged if the schema refuses the record. */
function parsedAs(list: ListName, shown: Fields): Fields {
  const parsed = lists[list].schema.safeParse(shown);
  return parsed.success ? parsed.data : shown;
}

/** Puts sets in a fixed order. */
export function comparable(list: ListName, { name, was: _was, ...fields }: Fields): Fields {
  const { sets } = lists[list];
  const own = list === 'keys' ? { ...fields, name } : fields;
  return Object.fromEntries(
    Object.entries(own).map(([field, value]) => [
      field,
      sets.includes(field) && Array.isArray(value) ? sortedSet(value) : value,
    ]),
  );
}

const sortedSet = (values: readonly unknown[]): readonly unknown[] =>
  values.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));

const credentialRecord = (credential: StoredCredential | null) => ({
  upstream_api_key: credential === null ? null : heldCredential,
});

const providerRecord = ({ name, kind, catalogueKey, endpoint, credential }: Provider) =>
  kind === 'dynamic'
    ? null
    : {
        name,
        kind,
        catalogue_key: catalogueKey,
        ...writtenEndpoint(endpoint),
        ...credentialRecord(credential),
        credential_kind: credential?.kind ?? 'static',
      };

/** An empty scheme sends the raw credential. Null would mean that the field is missing. */
const writtenEndpoint = <Auth extends Readonly<{ auth_scheme: string | null }>>(auth: Auth) => ({
  ...auth,
  auth_scheme: auth.auth_scheme ?? '',
});

export const modelValues = readerOf(modelFields);

const modelRecord = ({ provider }: ConfigState, { backend, learnedBy, ...model }: Model) =>
  learnedBy === null
    ? {
        name: model.name,
        description: model.description,
        provider: provider.byId.get(backend?.providerId ?? 0)?.name ?? null,
        upstream_model: backend?.upstreamModel ?? null,
        default_max_tokens: backend?.defaultMaxTokens ?? null,
        ...modelValues(model),
        ...model.flowControl,
      }
    : null;

const principalRecord = (
  { role }: ConfigState,
  { kind, identity, roleIds, identityRoleIds, limits, budget }: Principal,
  name: string,
) =>
  identity === null
    ? {
        name,
        kind,
        roles: roleIds
          .filter((id) => !identityRoleIds.includes(id))
          .flatMap((id) => role.byId.get(id)?.name ?? []),
        limits: limits && {
          requests_per_min: limits.requestsPerMin,
          tokens_per_min: limits.tokensPerMin,
        },
        budget: budget && {
          tokens_total: budget.tokensTotal,
          cost_total_micros: budget.costTotalMicros,
          window: budget.window,
          calendar: budget.calendar,
          alert_at_percent: budget.alertAtPercent,
        },
      }
    : null;

const remoteRecord = ({ details, credential }: Credentialed & Readonly<{ details: Remote }>) => ({
  ...writtenEndpoint(details),
  ...credentialRecord(credential),
});

const webhookRecord = (webhook: WebhookEndpoint) => ({
  name: webhook.name,
  description: webhook.description,
  format: webhook.format,
  types: webhook.types,
  enabled: webhook.enabled,
  ...secretsOf(webhook, () => heldCredential),
});

/** A value for each secret, by its field in files. */
function secretsOf(
  { format, address, secret }: WebhookEndpoint,
  valueOf: (stored: StoredSecret) => string,
): Fields {
  const field = secretFieldOf[format];
  const own = field === null || secret === null ? {} : { [field]: valueOf(secret) };
  return { url: valueOf(address), ...own };
}

function settingsRecord({ settings, model }: ConfigState) {
  const { fallbackModelId, changePolicy } = settings.byId.get(1) ?? defaultSettings;
  return {
    fallback_model: model.byId.get(fallbackModelId ?? 0)?.name ?? null,
    change_policy: changePolicy,
  };
}
