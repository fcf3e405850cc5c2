// Serves GET /v1/models: the names that the caller's key can use, in two formats (specification,
// "Versioning" 2). Lists a frontend model when the caller may invoke at least one of its models.

import { toRfc3339 } from '../lib/clock.ts';
import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { Generation } from './generation.ts';
import { smallestWindow } from './health/window.ts';

/** `window` is in tokens. Undefined, and so omitted, when unknown. */
type Listed = Readonly<{ name: string; window: number | undefined }>;

/** The creation time is unknown, so the time at which this proxy first served the name is used. */
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

/** The format of the Messages API, in one page. */
export function listModelsNatively(generation: Generation, caller: Caller) {
  const data = usable(generation, caller).map(({ name, window }) => ({
    type: 'model',
    id: name,
    display_name: name,
    created_at: toRfc3339(createdMs(generation, name)),
    max_model_len: window,
    context_length: window,
    // The vendor's name of the field.
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
  // A frontend model takes precedence over a model of the same name, even if the caller cannot use it.
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
