// Decides what one name of model_list becomes: a model, or a pool whose members are named after
// their hosts.

import { canonicalJson } from '../../lib/canonical-json.ts';
import type { PoolPolicy } from '../../lib/vocabulary.ts';
import type { Entry, FlowControl, ModelFacts } from './entries.ts';
import { providerIdentity } from './providers.ts';
import type { FileProvider } from './providers.ts';

type PlannedBackend = Readonly<{
  provider: FileProvider;
  upstreamModel: string;
  defaultMaxTokens: number | null;
  flowControl: FlowControl;
}>;

export type PlannedModel = Readonly<{
  name: string;
  /** The name in model_list that it implements, alone or with others. */
  entryName: string;
  facts: ModelFacts;
  flowControl: FlowControl;
  backends: readonly PlannedBackend[];
}>;

export type PlannedPool = Readonly<{
  name: string;
  description: string | null;
  policy: PoolPolicy | null;
  members: readonly Readonly<{ model: string; weight: number }>[];
}>;

export type PlannedName = Readonly<{
  models: readonly PlannedModel[];
  pool: PlannedPool | null;
  /** Used in chains that contain the name. */
  target: string;
}>;

type Options = Readonly<{
  /** True if a model may have several backends. */
  several: boolean;
  /** True if a frontend model needs this name. */
  isRouted: boolean;
}>;

export function planName(
  name: string,
  entries: readonly Entry[],
  { several, isRouted }: Options,
): PlannedName {
  const [first, ...others] = entries;
  const isAlike = several && others.every((entry) => first !== undefined && areAlike(first, entry));
  if (!isRouted && (others.length === 0 || isAlike)) {
    return { models: [modelOf(name, entries)], pool: null, target: name };
  }
  const distinct = [...Map.groupBy(entries, backendIdentity).values()];
  const [sole, ...more] = distinct;
  if (sole !== undefined && more.length === 0) {
    const member = memberNames(name, [sole])[0] ?? name;
    return { models: [modelOf(member, sole)], pool: null, target: member };
  }
  const members = memberNames(name, distinct);
  const models = distinct.map((same, index) => modelOf(members[index] ?? name, same.slice(0, 1)));
  const pool: PlannedPool = {
    name: `${name}@pool`,
    description: null,
    policy: null,
    members: models.map((model, index) => ({
      model: model.name,
      weight: (distinct[index] ?? []).reduce((sum, { weight }) => sum + (weight ?? 1), 0),
    })),
  };
  return { models, pool, target: pool.name };
}

/** One model serves both if only their addresses differ. */
const areAlike = (a: Entry, b: Entry): boolean =>
  a.weight === null && b.weight === null && canonicalJson(a.facts) === canonicalJson(b.facts);

const backendIdentity = ({ provider, upstreamModel }: Entry): string =>
  JSON.stringify([providerIdentity(provider), upstreamModel]);

function modelOf(name: string, entries: readonly Entry[]): PlannedModel {
  const [first] = entries;
  if (first === undefined) throw new Error(`name ${name} has no entry`);
  return {
    name,
    entryName: first.name,
    facts: first.facts,
    flowControl: first.flowControl,
    backends: entries.map(({ provider, upstreamModel, defaultMaxTokens, flowControl }) => ({
      provider,
      upstreamModel,
      defaultMaxTokens,
      flowControl,
    })),
  };
}

/**
 * `<name>@<host>`, with the upstream name appended if a host serves several, and a number if that
 * is still ambiguous. Only the number depends on the order in the file.
 */
function memberNames(name: string, distinct: readonly (readonly Entry[])[]): readonly string[] {
  const firsts = distinct.flatMap(([first]) => first ?? []);
  const byHost = firsts.map(({ provider }) => `${name}@${new URL(provider.apiBase).host}`);
  const byModel = firsts.map(({ upstreamModel }, index) => {
    const host = byHost[index] ?? name;
    return byHost.filter((other) => other === host).length > 1 ? `${host}/${upstreamModel}` : host;
  });
  return byModel.map((member, index) => {
    const place = byModel.slice(0, index).filter((other) => other === member).length;
    return place === 0 ? member : `${member}#${place + 1}`;
  });
}
