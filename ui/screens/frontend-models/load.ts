// Loads frontend models, their pools and models, and the global fallback model.

import { call, list } from '../../api/http/call.ts';
import type { FrontendModel, Pool } from '../../api/records.ts';
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
    list('/admin/frontend-models', { signal }),
    list('/admin/model-pools', { signal }),
    list('/admin/provider-models', { signal }),
    list('/admin/prompt-classes', { signal }),
    call('GET', '/admin/fallback-model', { signal }),
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

export const targetOptions = ({ pools, models }: Routing): readonly Option[] => [
  ...pools.map(({ name }) => ({ value: name, label: name, note: 'pool' })),
  ...models.map(({ name }) => ({ value: name, label: name, note: 'model' })),
];

export const memberOptions = ({ models }: Routing): readonly Option[] =>
  models.map(({ name }) => ({ value: name, label: name }));
