// Finds which frontend models and pools use a model, and how replicas see its backend.

import { formatCount } from '../text/format.ts';

type Target = Readonly<{ provider_model_id: number | null; model_pool_id: number | null }>;
type FrontendModel = Readonly<{
  id: number;
  name: string;
  rules: readonly Readonly<{ targets: readonly Target[] }>[];
  default_targets: readonly Target[];
}>;
type Pool = Readonly<{
  id: number;
  name: string;
  members: readonly Readonly<{ provider_model_id: number | null }>[];
}>;

export type Use = Readonly<{ id: number; name: string }>;
export type ModelUse = Readonly<{ frontendModels: readonly Use[]; pools: readonly Use[] }>;

/** By model id. Omits unused models. */
export function usesOf(
  frontendModels: readonly FrontendModel[],
  pools: readonly Pool[],
): ReadonlyMap<number, ModelUse> {
  const membersOf = new Map(
    pools.map(({ id, members }) => [id, members.flatMap((one) => one.provider_model_id ?? [])]),
  );
  const uses = new Map<number, { frontendModels: Use[]; pools: Use[] }>();
  const useOf = (id: number) => {
    const use = uses.get(id) ?? { frontendModels: [], pools: [] };
    uses.set(id, use);
    return use;
  };
  for (const { id, name, rules, default_targets } of frontendModels) {
    const targets = [...rules.flatMap((rule) => rule.targets), ...default_targets];
    const reached = targets.flatMap(({ provider_model_id, model_pool_id }) =>
      provider_model_id === null ? (membersOf.get(model_pool_id ?? 0) ?? []) : [provider_model_id],
    );
    for (const model of new Set(reached)) useOf(model).frontendModels.push({ id, name });
  }
  for (const { id, name } of pools) {
    for (const model of new Set(membersOf.get(id))) useOf(model).pools.push({ id, name });
  }
  return uses;
}

type Backend = Readonly<{ api_base: string; upstream_model: string }>;
type Seen = Readonly<{ api_base: string; model: string; healthy: boolean }>;
export type Health = Readonly<{ tone: 'good' | 'warn' | 'bad' | 'plain'; word: string }>;

/** Each item of `seen` is the view of one replica. */
export function healthOf(backend: Backend | null, seen: readonly Seen[]): Health {
  if (backend === null) return { tone: 'warn', word: 'no provider' };
  const views = seen.filter(
    ({ api_base, model }) => api_base === backend.api_base && model === backend.upstream_model,
  );
  if (views.length === 0) return { tone: 'plain', word: 'not reported' };
  const down = views.filter(({ healthy }) => !healthy).length;
  if (down === 0) return { tone: 'good', word: 'healthy' };
  if (down === views.length) return { tone: 'bad', word: 'down' };
  return { tone: 'warn', word: `down on ${down} of ${formatCount(views.length, 'replica')}` };
}

type Row = Readonly<{
  input_price_per_mtok: number | null;
  output_price_per_mtok: number | null;
  health: Health;
}>;

export const modelStates = ['unpriced', 'no provider', 'down'] as const;

export function modelStatesOf(row: Row): readonly string[] {
  const isUnpriced = row.input_price_per_mtok === null || row.output_price_per_mtok === null;
  const { tone, word } = row.health;
  return [
    ...(isUnpriced ? ['unpriced'] : []),
    ...(word === 'no provider' ? [word] : []),
    ...(tone === 'bad' || word.startsWith('down') ? ['down'] : []),
  ];
}
