// Reads the model list of a provider, in all known response shapes.

import { z } from 'zod';

import { protocolFacts } from './facts.ts';
import type { Protocol } from './facts.ts';

export type ServedModel = Readonly<{ id: string; contextLength: number | null }>;

const window = z.int().positive().optional().catch(undefined);

const entry = z.object({
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  max_model_len: window,
  context_length: window,
  context_window: window,
  inputTokenLimit: window,
  max_input_tokens: window,
});

const entries = z.array(z.unknown());

/** In order of preference. An engine without models returns an empty list in its own shape. */
const shapes: readonly Readonly<{ name: string; list: z.ZodType<readonly unknown[]> }>[] = [
  { name: 'data', list: z.object({ data: entries }).transform(({ data }) => data) },
  // Ollama without models.
  {
    name: 'null',
    list: z.object({ object: z.literal('list'), data: z.null() }).transform(() => []),
  },
  { name: 'models', list: z.object({ models: entries }).transform(({ models }) => models) },
  { name: 'array', list: entries },
  {
    name: 'publisherModels',
    list: z.object({ publisherModels: entries }).transform((body) => body.publisherModels),
  },
  { name: 'result', list: z.object({ result: entries }).transform(({ result }) => result) },
];

/**
 * Null if the text is not a model list. Skips entries without an id or name, unless all entries
 * lack them.
 */
export function readModelList(text: string, protocol: Protocol): readonly ServedModel[] | null {
  const body = parseJson(text);
  const emptyShapes: readonly string[] = protocolFacts[protocol].modelList.emptyShapes;
  for (const { name, list } of shapes) {
    const found = list.safeParse(body);
    if (!found.success) continue;
    const models = unique(found.data.flatMap(readEntry));
    const isList = models.length > 0 || (found.data.length === 0 && emptyShapes.includes(name));
    return isList ? models : null;
  }
  return null;
}

function readEntry(value: unknown): readonly ServedModel[] {
  const parsed = entry.safeParse(value);
  if (!parsed.success) return [];
  const { id, name } = parsed.data;
  // Cloudflare's id is a number or UUID, and requests use its name. Only its entries have an `@`
  // there.
  const chosen = name?.startsWith('@') === true ? name : (id ?? name);
  if (chosen === undefined || chosen === '') return [];
  return [
    {
      id: chosen.replace(/^(?:publishers\/[^/]+\/)?models\//, ''),
      contextLength: windowOf(parsed.data),
    },
  ];
}

/** In order of preference for engines and vendors. */
const windowOf = (found: z.output<typeof entry>): number | null =>
  found.max_model_len ??
  found.context_length ??
  found.context_window ??
  found.inputTokenLimit ??
  found.max_input_tokens ??
  null;

function unique(models: readonly ServedModel[]): readonly ServedModel[] {
  return [...new Map(models.map((model) => [model.id, model])).values()];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
