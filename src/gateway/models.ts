// GET /v1/models: the names that the caller's key can use, in either of two shapes (specification,
// "Versioning" 2). A frontend model is listed when the caller may invoke any model that it routes to.

import { toRfc3339 } from '../lib/clock.ts';
import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { Generation } from './generation.ts';
import { smallestWindow } from './health/window.ts';

/** The window is in tokens; undefined, and so left out, when none is known. */
type Listed = Readonly<{ name: string; window: number | undefined }>;

/** No control plane says when a model was created: it is the time from which this proxy served the name. */
const createdMs = ({ servedSince }: Generation, name: string): number => servedSince.get(name) ?? 0;

export function listModels(generation: Generation, caller: Caller) {
  const data = usable(generation, caller).map(({ name, window }) => ({
    id: name,
    object: 'model',
    created: Math.floor(createdMs(generation, name) / 1_000),
    owned_by: 'gw',
    max_model_len: window,
    context_length: window,
  }));
  return { object: 'list', data };
}

/** The vendor's own shape, in one page. */
export function listModelsNatively(generation: Generation, caller: Caller) {
  const data = usable(generation, caller).map(({ name, window }) => ({
    type: 'model',
    id: name,
    display_name: name,
    created_at: toRfc3339(createdMs(generation, name)),
    max_model_len: window,
    context_length: window,
    // As the vendor itself calls it.
    max_input_tokens: window,
  }));
  const [first] = data;
  return {
    data,
    has_more: false,
    first_id: first?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function usable(generation: Generation, caller: Caller): readonly Listed[] {
  const { models, frontendModels } = generation.snapshot;
  const byName = new Map<string, Listed>();
  const { windowOf } = generation.view;
  for (const model of models.values()) {
    const { name } = model;
    if (model.backends.length === 0 || !mayInvoke(caller, model)) continue;
    byName.set(name, { name, window: windowOf(model) ?? undefined });
  }
  // A frontend model stands before a model of its name, also when the caller cannot use it.
  for (const { name, reach, maxModelLen } of frontendModels.values()) {
    if (!reach.some((model) => mayInvoke(caller, model))) {
      byName.delete(name);
      continue;
    }
    const window = maxModelLen ?? smallestWindow(reach.map(windowOf)) ?? undefined;
    byName.set(name, { name, window });
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
