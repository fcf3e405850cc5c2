// What one name of model_list becomes: a model, or a pool of members that are named for where they are served.

import { canonicalJson } from '../../lib/canonical-json.ts';
import type { PoolPolicy } from '../../lib/vocabulary.ts';
import type { Entry, FlowControl, ModelFacts } from './entries.ts';
import { providerIdentity } from './providers.ts';
import type { FileProvider } from './providers.ts';

type LaidBackend = Readonly<{
  provider: FileProvider;
  upstreamModel: string;
  defaultMaxTokens: number | null;
  flowControl: FlowControl;
}>;

export type LaidModel = Readonly<{
  name: string;
  /** The name in model_list that it stands for, alone or with others. */
  entryName: string;
  facts: ModelFacts;
  flowControl: FlowControl;
  backends: readonly LaidBackend[];
}>;

export type LaidPool = Readonly<{
  name: string;
  description: string | null;
  policy: PoolPolicy | null;
  members: readonly Readonly<{ model: string; weight: number }>[];
}>;

export type LaidName = Readonly<{
  models: readonly LaidModel[];
  pool: LaidPool | null;
  /** The model or pool that a chain is sent to which names it. */
  target: string;
}>;

type Options = Readonly<{
  /** Whether a model may have several backends. */
  several: boolean;
  /** Whether it has to leave its name to a frontend model. */
  isRouted: boolean;
}>;

export function layName(
  name: string,
  entries: readonly Entry[],
  { several, isRouted }: Options,
): LaidName {
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
  const pool: LaidPool = {
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

/** One model can stand for both: nothing but where they are served tells them apart. */
const areAlike = (a: Entry, b: Entry): boolean =>
  a.weight === null && b.weight === null && canonicalJson(a.facts) === canonicalJson(b.facts);

const backendIdentity = ({ provider, upstreamModel }: Entry): string =>
  JSON.stringify([providerIdentity(provider), upstreamModel]);

function modelOf(name: string, entries: readonly Entry[]): LaidModel {
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
 * `<name>@<host>`, with the upstream's own name behind it where a host serves several, and a number where that is not enough.
 * Neither depends on the order in the file but the number.
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
