// Decides which models, pools and frontend models the names of a configuration file become. A name
// becomes one model if possible. If its entries differ, have weights or have fallbacks, it becomes
// a frontend model over a pool.

import { weightMax } from '../../lib/amounts.ts';
import type { ConfigDocument } from './document.ts';
import { planName } from './names.ts';
import type { PlannedModel, PlannedName, PlannedPool } from './names.ts';
import type { FileFrontendModel, FilePool, FileRule } from './records.ts';

export type PlannedFrontendModel = Readonly<{
  name: string;
  description: string | null;
  maxModelLen: number | null;
  rules: readonly FileRule[];
  /** Names of models and pools. */
  defaultTargets: readonly string[];
}>;

export type Layout = Readonly<{
  models: readonly PlannedModel[];
  pools: readonly PlannedPool[];
  frontendModels: readonly PlannedFrontendModel[];
  fallbackModel: string | null;
  /** The models that a grant of a name in the file opens. */
  grantsOf: (name: string) => readonly string[];
}>;

export type LayoutOptions = Readonly<{
  /** True if a model may have several backends. In a control plane it has one. */
  several: boolean;
  /** Names that already are frontend models stay so. */
  isRouted: (name: string) => boolean;
}>;

/** The names that clients may call. */
export const namesServed = ({ models, pools, frontendModels }: Layout): ReadonlySet<string> =>
  new Set([...models, ...pools, ...frontendModels].map(({ name }) => name));

/** Returns the errors, one sentence each, if there is no layout. */
export function planLayout(
  document: ConfigDocument,
  options: LayoutOptions,
): Layout | readonly string[] {
  const { chains } = document.fallbacks;
  const groups = Map.groupBy(document.entries, ({ name }) => name);
  const names = new Map(
    [...groups].map(([name, entries]) => {
      const isRouted = chains.has(name) || options.isRouted(name);
      return [name, planName(name, entries, { several: options.several, isRouted })] as const;
    }),
  );
  const layout: Layout = {
    models: [
      ...[...names.values()].flatMap(({ models }) => models),
      ...document.bareModels.map((model) => ({ ...model, entryName: model.name, backends: [] })),
    ],
    pools: [
      ...[...names.values()].flatMap(({ pool }) => pool ?? []),
      ...document.pools.map((pool) => ownPool(pool, names)),
    ],
    frontendModels: [
      ...routedNames(document, names),
      ...document.frontendModels.map((given) => ownFrontendModel(given, names)),
    ],
    fallbackModel: soleModel(document.fallbacks.fallbackModel, names),
    grantsOf: (name) => names.get(name)?.models.map((model) => model.name) ?? [name],
  };
  const wrong = layoutErrors(layout);
  return wrong.length > 0 ? wrong : layout;
}

type Names = ReadonlyMap<string, PlannedName>;

const targetOf = (name: string, names: Names): string => names.get(name)?.target ?? name;

/** For names of model_list and their aliases. */
function routedNames({ fallbacks }: ConfigDocument, names: Names): readonly PlannedFrontendModel[] {
  const frontendModel = (name: string, to: string): PlannedFrontendModel => ({
    name,
    description: null,
    maxModelLen: null,
    rules: [],
    defaultTargets: [
      ...new Set([to, ...(fallbacks.chains.get(to) ?? [])].map((one) => targetOf(one, names))),
    ],
  });
  return [
    ...[...names]
      .filter(([name, { target }]) => target !== name)
      .map(([name]) => frontendModel(name, name)),
    ...[...fallbacks.aliases].map(([alias, name]) => frontendModel(alias, name)),
  ];
}

const ownFrontendModel = (given: FileFrontendModel, names: Names): PlannedFrontendModel => ({
  name: given.name,
  description: given.description ?? null,
  maxModelLen: given.max_model_len ?? null,
  rules: given.rules.map((rule) => ({
    ...rule,
    targets: rule.targets.map((name) => targetOf(name, names)),
  })),
  defaultTargets: given.default_targets.map((name) => targetOf(name, names)),
});

/** A member whose name means several models is replaced by all of them. */
const ownPool = (pool: FilePool, names: Names): PlannedPool => ({
  name: pool.name,
  description: pool.description ?? null,
  policy: pool.policy ?? null,
  members: pool.members.flatMap(({ model, weight }) =>
    (names.get(model)?.models ?? [{ name: model }]).map(({ name }) => ({ model: name, weight })),
  ),
});

/** The first model, if the name means several. */
const soleModel = (name: string | null, names: Names): string | null =>
  name === null ? null : (names.get(name)?.models[0]?.name ?? name);

/**
 * Names must be unique, except that a frontend model may share its name with a model. References
 * must exist.
 */
function layoutErrors({ models, pools, frontendModels, fallbackModel }: Layout): readonly string[] {
  const errors: string[] = [];
  const twice = new Set([
    ...twiceIn([...models, ...pools]),
    ...twiceIn([...frontendModels, ...pools]),
  ]);
  for (const name of twice)
    errors.push(`${name} is the name of two models, pools or frontend models`);
  const known = { model: new Set(models.map(({ name }) => name)), target: new Set<string>() };
  for (const { name } of [...models, ...pools]) known.target.add(name);
  for (const pool of pools) {
    for (const { model, weight } of pool.members) {
      if (!known.model.has(model)) errors.push(`pool ${pool.name}: no model is named ${model}`);
      // Entries with the same backend become one member with the sum of their weights.
      if (weight > weightMax)
        errors.push(
          `pool ${pool.name}: weight of ${model} adds up to ${weight}, over ${weightMax}`,
        );
    }
  }
  for (const { name, rules, defaultTargets } of frontendModels) {
    for (const target of [...rules.flatMap(({ targets }) => targets), ...defaultTargets]) {
      if (known.target.has(target)) continue;
      errors.push(`frontend model ${name}: no model or pool is named ${target}`);
    }
  }
  if (fallbackModel !== null && !known.model.has(fallbackModel)) {
    errors.push(`fallback_model: no model is named ${fallbackModel}`);
  }
  return errors;
}

function twiceIn(list: readonly Readonly<{ name: string }>[]): readonly string[] {
  const seen = new Set<string>();
  return list.flatMap(({ name }) => {
    if (seen.has(name)) return name;
    seen.add(name);
    return [];
  });
}
