// GET /v1/models: the models that the caller's key may invoke and that something serves, in either
// of two shapes (specification, "Versioning" 2).

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { CompiledSnapshot } from '../snapshot/compile.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';

export function listModels(snapshot: CompiledSnapshot, caller: Caller) {
  const data = invocable(snapshot, caller).map((model) => ({
    id: model.name,
    object: 'model',
    created: 0,
    owned_by: 'gw',
    max_model_len: windowOf(model),
    context_length: windowOf(model),
  }));
  return { object: 'list', data };
}

/** The vendor's own shape, in one page. */
export function listModelsNatively(snapshot: CompiledSnapshot, caller: Caller) {
  const data = invocable(snapshot, caller).map((model) => ({
    type: 'model',
    id: model.name,
    display_name: model.name,
    created_at: '1970-01-01T00:00:00Z',
    max_model_len: windowOf(model),
    context_length: windowOf(model),
  }));
  const [first] = data;
  return {
    data,
    has_more: false,
    first_id: first?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

const invocable = (snapshot: CompiledSnapshot, caller: Caller): readonly CompiledModel[] =>
  [...snapshot.models.values()]
    .filter((model) => model.backends.length > 0 && mayInvoke(caller, model))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Undefined, and so left out, when no window is known. */
const windowOf = ({ contextLength }: CompiledModel) => contextLength ?? undefined;
