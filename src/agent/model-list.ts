// What a model list says of the endpoint that answers it: a model to name it by, and the engine.

import { z } from 'zod';

export type Served = Readonly<{
  /** Null for a server without models. */
  model: string | null;
  /** Null when the list does not give the engine away. */
  engine: string | null;
}>;

const entry = z.object({
  id: z.string().min(1),
  owned_by: z.string().nullish(),
  /** Engines set it on adapters, to the model that they adapt. */
  parent: z.unknown().optional(),
});

const list = z.object({ data: z.array(z.unknown()) });

/** `owned_by` as engines write it about themselves; what vendors and users write there is no engine. */
const engines: Readonly<Record<string, string>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  llamacpp: 'llama.cpp',
  lmdeploy: 'lmdeploy',
};

/** Null when the text is no model list: an object with a list `data`. */
export function readServed(text: string): Served | null {
  const read = list.safeParse(parseJson(text));
  if (!read.success) return null;
  const models = read.data.data.flatMap((model) => {
    const parsed = entry.safeParse(model);
    return parsed.success ? [parsed.data] : [];
  });
  const own = models.filter(({ parent }) => parent === null || parent === undefined);
  // By its order in the alphabet: some engines list what was used last first, and the name would change with every use.
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
