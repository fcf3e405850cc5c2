// Loads models with their backends, health and uses.

import { call, list } from '../../api/http/call.ts';
import type { Model } from '../../api/records.ts';
import { healthOf, usesOf } from '../../lib/providers/model-use.ts';
import type { Health, ModelUse } from '../../lib/providers/model-use.ts';

export type ModelRow = Omit<Model, 'backends'> &
  Readonly<{
    backend: Model['backends'][number] | null;
    health: Health;
    use: ModelUse;
    /** Requests for unknown model names go to the global fallback model. */
    isFallback: boolean;
  }>;

const unused: ModelUse = { frontendModels: [], pools: [] };

export async function loadModels(signal: AbortSignal): Promise<readonly ModelRow[]> {
  const [models, frontendModels, pools, fallback, fleet, own] = await Promise.all([
    list('/admin/provider-models', { signal }),
    list('/admin/frontend-models', { signal }),
    list('/admin/model-pools', { signal }),
    call('GET', '/admin/fallback-model', { signal }),
    call('GET', '/admin/fleet', { signal }),
    call('GET', '/admin/health', { signal }),
  ]);
  const uses = usesOf(frontendModels, pools);
  const seen = [...own.body.backends, ...fleet.body.flatMap(({ backends }) => backends)];
  const rowOf = ({ backends, ...model }: Model): ModelRow => {
    const backend = backends[0] ?? null;
    return {
      ...model,
      backend,
      health: healthOf(backend, seen),
      use: uses.get(model.id) ?? unused,
      isFallback: fallback.body.model_id === model.id,
    };
  };
  return models.map(rowOf);
}
