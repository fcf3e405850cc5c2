// Writes the configuration as a file that File mode can serve and an import can read. It contains
// names of variables instead of credentials, and digests of keys.

import { nouns, remoteNouns } from '../../../events/nouns.ts';
import { snakeKeys } from '../../lib/case.ts';
import type { Model } from '../../../projections/config/model.ts';
import { budgetSettings } from '../../../projections/config/principal.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { informationFields, priceFields } from '../../fields/model.ts';
import { picked } from '../../fields/values.ts';
import type { ProviderId } from '../../lib/ids.ts';
import type { ListName } from '../configuration/format.ts';
import { heldRecords, modelValues, nameOfPrincipal, revealNames } from '../configuration/held.ts';
import { variableReference, writeConfigFile } from '../../snapshot/file/write.ts';
import type { ControlPlane } from '../plane.ts';
import { commonProtocol } from '../../protocols/facts.ts';

export type ExportedConfig = Readonly<{
  text: string;
  /** The variables that the file refers to, with the provider of each credential. */
  variables: readonly Readonly<{ name: string; provider: string }>[];
  warnings: readonly string[];
}>;

export async function exportConfig(
  plane: Pick<ControlPlane, 'db' | 'store' | 'vault' | 'refresh'>,
): Promise<ExportedConfig> {
  await plane.refresh();
  const state = plane.store.state();
  return exportState(state, await revealNames(plane, state));
}

/** `revealed` contains people's names and keys' verifiers by ref. */
export function exportState(
  state: ConfigState,
  revealed: ReadonlyMap<string, string>,
): ExportedConfig {
  const providers = inOrder(state.provider.byId).filter(({ kind }) => kind !== 'dynamic');
  const variables = variableNames(providers);
  const fields = new Map(providers.map((one) => [one.id, endpointFields(one, variables)]));
  const nameOf = nameOfPrincipal(revealed);
  const held = heldRecords({ state, revealed });
  const shown = (list: ListName) =>
    held.records.flatMap((one) => (one.list === list ? one.shown : []));
  const warnings = [...leftOut(state), ...held.warnings];
  const fallbackId = state.settings.byId.get(1)?.fallbackModelId;
  const tree = {
    model_list: modelList(state, fields),
    // Without it, a proxy that reads the file would serve everyone.
    auth: { keys: [] },
    gw: {
      fallback_model: state.model.byId.get(fallbackId ?? 0)?.name,
      providers: providers.map((one) => providerRecord(one, fields)),
      models: bareModels(state, fields),
      roles: shown('roles'),
      principals: inOrder(state.principal.byId).map((one) =>
        principalRecord(state, one, { name: nameOf(one), revealed }),
      ),
      prompt_classes: shown('prompt_classes'),
      pools: shown('pools'),
      frontend_models: shown('frontend_models'),
    },
  };
  const needed = providers.flatMap(({ id, name }) => {
    const variable = variables.get(id);
    return variable === undefined ? [] : [{ name: variable, provider: name }];
  });
  const notes = [
    `Exported at snapshot version ${state.version}. Credentials are replaced by these variables:`,
    ...needed.map(({ name, provider }) => `  ${name}: provider ${provider}`),
    ...warnings.map((warning) => `Left out: ${warning}`),
  ];
  return { text: writeConfigFile(tree, notes), variables: needed, warnings };
}

const inOrder = <Entity extends Readonly<{ id: number }>>(
  byId: ReadonlyMap<number, Entity>,
): readonly Entity[] => [...byId.values()].toSorted((a, b) => a.id - b.id);

/**
 * For example `PROVIDER_KEY_API_OPENAI_COM`. Derived from the provider's name, so that every export
 * has the same.
 */
function variableNames(providers: readonly Provider[]): ReadonlyMap<ProviderId, string> {
  const taken = new Set<string>();
  return new Map(
    providers
      .filter(({ credential }) => credential !== null)
      .map(({ id, name }) => {
        const wanted = `PROVIDER_KEY_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
        let free = wanted;
        for (let number = 2; taken.has(free); number++) free = `${wanted}_${number}`;
        taken.add(free);
        return [id, free];
      }),
  );
}

type EndpointFields = Readonly<Record<string, string | undefined>>;
type Fields = ReadonlyMap<ProviderId, EndpointFields>;

function endpointFields(
  { id, endpoint, credential }: Provider,
  variables: ReadonlyMap<ProviderId, string>,
): EndpointFields {
  const variable = variables.get(id);
  return {
    api_base: endpoint.api_base,
    protocol: endpoint.protocol,
    auth_header: endpoint.auth_header,
    // An empty scheme sends the raw credential. A missing one would mean the protocol's default.
    auth_scheme: endpoint.auth_scheme ?? '',
    api_key: variable === undefined ? undefined : variableReference(variable),
    credential_kind: credential?.kind === 'cloud_service_account' ? credential.kind : undefined,
  };
}

const providerRecord = (provider: Provider, fields: Fields) => ({
  name: provider.name,
  kind: provider.kind,
  catalogue_key: provider.catalogueKey,
  ...fields.get(provider.id),
});

function modelList(state: ConfigState, fields: Fields): readonly unknown[] {
  return inOrder(state.model.byId).flatMap((model) => {
    const { backend } = model;
    const endpoint = backend === null ? undefined : fields.get(backend.providerId);
    if (backend === null || endpoint === undefined) return [];
    const parameters = {
      // Other readers of the format need the prefix. gw removes it for native protocols.
      model: `${endpoint['protocol'] ?? commonProtocol}/${backend.upstreamModel}`,
      ...endpoint,
      default_max_tokens: backend.defaultMaxTokens,
      ...costsPerToken(model),
    };
    const information = {
      description: model.description,
      ...picked(informationFields, modelValues(model)),
      ...model.flowControl,
    };
    return [{ model_name: model.name, litellm_params: parameters, model_info: information }];
  });
}

function costsPerToken(model: Model) {
  const prices: Readonly<Record<string, number | null>> = picked(priceFields, modelValues(model));
  const costs = Object.entries(priceFields).map(([name, { cost }]) => {
    const price = prices[name] ?? null;
    return [cost, price === null ? null : price / 1e12] as const;
  });
  return Object.fromEntries(costs);
}

/** Models whose provider the file cannot express. */
const bareModels = (state: ConfigState, fields: Fields): readonly unknown[] =>
  inOrder(state.model.byId)
    .filter(({ backend }) => backend === null || !fields.has(backend.providerId))
    .map(bareModel);

const bareModel = (model: Model) => ({
  name: model.name,
  description: model.description,
  ...modelValues(model),
  ...model.flowControl,
});

type Shown = Readonly<{ name: string; revealed: ReadonlyMap<string, string> }>;

/** Omits the spending of budgets, which is not configuration, and revoked keys. */
const principalRecord = (state: ConfigState, principal: Principal, { name, revealed }: Shown) => ({
  name,
  kind: principal.kind,
  roles: principal.roleIds.flatMap((id) => state.role.byId.get(id)?.name ?? []),
  limits: principal.limits && snakeKeys(principal.limits),
  budget: principal.budget && snakeKeys(budgetSettings(principal.budget)),
  keys: inOrder(state.api_key.byId)
    .filter((key) => key.principalId === principal.id && !key.disabled)
    .flatMap((key) => {
      const verifier = revealed.get(key.verifierRef);
      if (verifier === undefined) return [];
      const { name, prefix, expiresAt } = key;
      return [{ name, key_sha256: verifier, prefix, expires_at: expiresAt }];
    }),
});

const counted = (what: string, entities: ReadonlyMap<number, unknown>): readonly string[] =>
  entities.size === 0 ? [] : [`${entities.size} ${what}, which the format cannot express`];

function leftOut(state: ConfigState): readonly string[] {
  const dynamic = inOrder(state.provider.byId).filter(({ kind }) => kind === 'dynamic');
  return [
    ...dynamic.map(({ name }) => `provider ${name}, which an agent registered`),
    ...remoteNouns.flatMap((noun) => counted(`${nouns[noun].remote.words}s`, state[noun].byId)),
    ...inOrder(state.prompt_class.byId)
      .filter(({ examples }) => examples.length > 0)
      .map(
        ({ name, examples }) =>
          `${examples.length} examples of class ${name}, which are personal data`,
      ),
  ];
}
