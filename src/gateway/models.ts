// GET /v1/models: the models that the caller's key may invoke and that something serves.

import { mayInvoke } from '../snapshot/compile.ts';
import type { Caller, CompiledSnapshot } from '../snapshot/compile.ts';

export function listModels(snapshot: CompiledSnapshot, caller: Caller) {
  const data = [...snapshot.models.values()]
    .filter((model) => model.backends.length > 0 && mayInvoke(caller, model))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, contextLength }) => ({
      id: name,
      object: 'model',
      created: 0,
      owned_by: 'gw',
      // Left out when no window is known.
      max_model_len: contextLength ?? undefined,
      context_length: contextLength ?? undefined,
    }));
  return { object: 'list', data };
}
