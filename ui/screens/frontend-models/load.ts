// What the screen of frontend models shows: they themselves, the pools and models that they lead to, and what stands behind all chains.

import { getFallbackModel, listFrontendModels } from '../../api/frontend-models.ts';
import type { FrontendModel } from '../../api/frontend-models.ts';
import { listModels } from '../../api/models.ts';
import { listPools } from '../../api/pools.ts';
import type { Pool } from '../../api/pools.ts';
import { listPromptClasses } from '../../api/prompt-classes.ts';
import type { Option } from '../../elements/form/picks.ts';

type Named = Readonly<{ id: number; name: string }>;

export type Routing = Readonly<{
  frontendModels: readonly FrontendModel[];
  pools: readonly Pool[];
  models: readonly Named[];
  classes: readonly string[];
  fallback: Named | null;
}>;

export async function loadRouting(signal: AbortSignal): Promise<Routing> {
  const [frontendModels, pools, models, classes, fallback] = await Promise.all([
    listFrontendModels(signal),
    listPools(signal),
    listModels(signal),
    listPromptClasses(signal),
    getFallbackModel(signal),
  ]);
  const { model_id: id, model: name } = fallback.body;
  return {
    frontendModels,
    pools,
    models: models.map(({ id: modelId, name: modelName }) => ({ id: modelId, name: modelName })),
    classes: classes.map((one) => one.name),
    fallback: id === null ? null : { id, name: name ?? String(id) },
  };
}

/** What a target can be. */
export const targetOptions = ({ pools, models }: Routing): readonly Option[] => [
  ...pools.map(({ name }) => ({ value: name, label: name, note: 'pool' })),
  ...models.map(({ name }) => ({ value: name, label: name, note: 'model' })),
];

/** What a member of a pool can be. */
export const memberOptions = ({ models }: Routing): readonly Option[] =>
  models.map(({ name }) => ({ value: name, label: name }));
