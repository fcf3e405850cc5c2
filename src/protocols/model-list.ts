// Reads the model list of a provider, in the shapes that providers are known to answer with.

import { z } from 'zod';

import type { Protocol } from '../lib/vocabulary.ts';

export type ServedModel = Readonly<{ id: string; contextLength: number | null }>;

/** The version header that every request of protocol `anthropic` carries. */
export const anthropicVersion = '2023-06-01';

/** Where the list lies, below the API base. An Anthropic address is given with or without its version. */
export const modelListPath = (protocol: Protocol, basePath: string): string =>
  protocol === 'anthropic' && !/\/v1\/*$/.test(basePath) ? 'v1/models' : 'models';

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
/** An engine without models may answer null. */
const list = entries.nullable();

/** In order of preference; a body is a model list when one of them fits. */
const shapes = [
  entries,
  z.object({ data: list }).transform(({ data }) => data),
  z.object({ models: list }).transform(({ models }) => models),
  z.object({ publisherModels: list }).transform(({ publisherModels }) => publisherModels),
  z.object({ result: list }).transform(({ result }) => result),
];

/** Null when the text is not a model list. Entries without an id or name are left out. */
export function readModelList(text: string): readonly ServedModel[] | null {
  const body = parseJson(text);
  for (const shape of shapes) {
    const found = shape.safeParse(body);
    if (found.success) return unique((found.data ?? []).flatMap(readEntry));
  }
  return null;
}

function readEntry(value: unknown): readonly ServedModel[] {
  if (typeof value === 'string') return [{ id: value, contextLength: null }];
  const parsed = entry.safeParse(value);
  if (!parsed.success) return [];
  const { id, name } = parsed.data;
  // Cloudflare's id is a number or a UUID and its name is what a request must say; its entries alone have an `@` there.
  const chosen = name?.startsWith('@') === true ? name : (id ?? name);
  if (chosen === undefined || chosen === '') return [];
  return [
    {
      id: chosen.replace(/^(?:publishers\/[^/]+\/)?models\//, ''),
      contextLength: windowOf(parsed.data),
    },
  ];
}

/** In the order in which engines and vendors are believed. */
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
