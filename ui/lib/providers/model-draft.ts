// The forms of a model and of its backend, and what of them is sent: what differs from the record alone. A field that was emptied is
// sent as null, which clears it. Prices are typed in dollars per million tokens.

import { readCount, readMoney, writeMoney } from '../access/budget.ts';
import { differing, textOrNull, wrong, written } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';

export type ModelDraft = Readonly<{
  name: string;
  description: string;
  input_price_per_mtok: string;
  output_price_per_mtok: string;
  context_length: string;
  cache_ttl_seconds: string;
}>;

type Model = Readonly<{
  name: string;
  description: string | null;
  input_price_per_mtok: number | null;
  output_price_per_mtok: number | null;
  context_length: number | null;
  cache_ttl_seconds: number | null;
}>;

export type ModelBody = Model;
export type ModelChange = Partial<Model>;

const free = /^\$?0+(\.0{1,6})?$/;

/** Micros per million tokens; null is an empty field, which is unpriced; undefined is no amount. Nothing is a price. */
export const readPrice = (text: string): number | null | undefined =>
  free.test(text.trim()) ? 0 : readMoney(text);

export const blankModel: ModelDraft = {
  name: '',
  description: '',
  input_price_per_mtok: '',
  output_price_per_mtok: '',
  context_length: '',
  cache_ttl_seconds: '',
};

export const fromModel = (model: Model): ModelDraft => ({
  name: model.name,
  description: model.description ?? '',
  input_price_per_mtok: writeMoney(model.input_price_per_mtok),
  output_price_per_mtok: writeMoney(model.output_price_per_mtok),
  context_length: written(model.context_length),
  cache_ttl_seconds: written(model.cache_ttl_seconds),
});

export const priceMessage = 'must be dollars such as 0.25 or 3, or empty for unpriced';
const countMessage = 'must be a whole number above zero, or empty for none';

/** The body of a creation. */
export function modelBody(draft: ModelDraft): Read<Model> {
  const input = readPrice(draft.input_price_per_mtok);
  if (input === undefined) return wrong('input_price_per_mtok', priceMessage);
  const output = readPrice(draft.output_price_per_mtok);
  if (output === undefined) return wrong('output_price_per_mtok', priceMessage);
  const context = readCount(draft.context_length);
  if (context === undefined) return wrong('context_length', countMessage);
  const ttl = readCount(draft.cache_ttl_seconds);
  if (ttl === undefined) return wrong('cache_ttl_seconds', countMessage);
  return {
    body: {
      name: draft.name.trim(),
      description: textOrNull(draft.description),
      input_price_per_mtok: input,
      output_price_per_mtok: output,
      context_length: context,
      cache_ttl_seconds: ttl,
    },
  };
}

/** The body of a change. */
export function modelChange(draft: ModelDraft, model: Model): Read<Partial<Model>> {
  const read = modelBody(draft);
  return 'wrong' in read ? read : { body: differing(read.body, model) };
}
