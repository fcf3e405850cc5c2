// GET /v1/models: the names that the caller's key can use, in either of two shapes (specification,
// "Versioning" 2). A frontend model is listed when the caller may invoke any model that it routes to.

import type { CompiledSnapshot } from '../snapshot/compile.ts';
import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';

type Listed = Readonly<{ name: string; contextLength: number | null }>;

export function listModels(snapshot: CompiledSnapshot, caller: Caller) {
  const data = usable(snapshot, caller).map((listed) => ({
    id: listed.name,
    object: 'model',
    created: 0,
    owned_by: 'gw',
    max_model_len: windowOf(listed),
    context_length: windowOf(listed),
  }));
  return { object: 'list', data };
}

/** The vendor's own shape, in one page. */
export function listModelsNatively(snapshot: CompiledSnapshot, caller: Caller) {
  const data = usable(snapshot, caller).map((listed) => ({
    type: 'model',
    id: listed.name,
    display_name: listed.name,
    created_at: '1970-01-01T00:00:00Z',
    max_model_len: windowOf(listed),
    context_length: windowOf(listed),
  }));
  const [first] = data;
  return {
    data,
    has_more: false,
    first_id: first?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function usable({ models, frontendModels }: CompiledSnapshot, caller: Caller): readonly Listed[] {
  const byName = new Map<string, Listed>();
  for (const model of models.values()) {
    if (model.backends.length > 0 && mayInvoke(caller, model)) byName.set(model.name, model);
  }
  // A frontend model stands before a model of its name, also when the caller cannot use it.
  for (const frontendModel of frontendModels.values()) {
    const isUsable = frontendModel.reach.some((model) => mayInvoke(caller, model));
    if (isUsable) byName.set(frontendModel.name, frontendModel);
    else byName.delete(frontendModel.name);
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Undefined, and so left out, when no window is known. */
const windowOf = ({ contextLength }: Listed) => contextLength ?? undefined;
