// Reads a model list: a model to name the endpoint by, and the engine.

import { z } from 'zod';

export type Served = Readonly<{
  /** Null for a server without models. */
  model: string | null;
  /** Null if the list does not reveal the engine. */
  engine: string | null;
}>;

const entry = z.object({
  id: z.string().min(1),
  owned_by: z.string().nullish(),
  /** Engines set it on adapters, to the base model. */
  parent: z.unknown().optional(),
});

const list = z.object({ data: z.array(z.unknown()) });

/** Engines name themselves with these values of `owned_by`. */
const engines: Readonly<Record<string, string>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  llamacpp: 'llama.cpp',
  lmdeploy: 'lmdeploy',
};

/** Null for text that is not an object with a list `data`. */
export function readServed(text: string): Served | null {
  const read = list.safeParse(parseJson(text));
  if (!read.success) return null;
  const models = read.data.data.flatMap((model) => {
    const parsed = entry.safeParse(model);
    return parsed.success ? [parsed.data] : [];
  });
  const own = models.filter(({ parent }) => parent === null || parent === undefined);
  // Alphabetical, because some engines list the last used model first and the name must not change with use.
  const [model] = (own.length > 0 ? own : models).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { model: model?.id ?? null, engine: engines[model?.owned_by ?? ''] ?? null };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
