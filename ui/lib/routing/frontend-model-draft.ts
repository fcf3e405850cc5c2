// The form of a frontend model without its rules, what of it is sent, and who leads to it.

import type { FrontendModel } from '../../api/records.ts';
import { readCount } from '../access/budget.ts';
import { differing, textOrNull, wrong, written } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { lines, linesOf } from '../text/lines.ts';
import { ruleName } from './rule-name.ts';

export type FrontendModelDraft = Readonly<{
  name: string;
  description: string;
  max_model_len: string;
  /** Names of models and pools, a line each. */
  default_targets: string;
}>;

export const blankFrontendModel: FrontendModelDraft = {
  name: '',
  description: '',
  max_model_len: '',
  default_targets: '',
};

export const fromFrontendModel = (one: FrontendModel): FrontendModelDraft => ({
  name: one.name,
  description: one.description ?? '',
  max_model_len: written(one.max_model_len),
  default_targets: lines(one.default_targets.map(({ model }) => model)),
});

export type FrontendModelBody = Readonly<{
  name: string;
  description: string | null;
  max_model_len: number | null;
  default_targets: readonly string[];
}>;

export function frontendModelBody(draft: FrontendModelDraft): Read<FrontendModelBody> {
  const window = readCount(draft.max_model_len);
  if (window === undefined) {
    return wrong('max_model_len', 'must be a whole number above zero, or empty');
  }
  return {
    body: {
      name: draft.name.trim(),
      description: textOrNull(draft.description),
      max_model_len: window,
      default_targets: linesOf(draft.default_targets),
    },
  };
}

/** What differs from the record. */
export function frontendModelChange(
  draft: FrontendModelDraft,
  one: FrontendModel,
): Read<Partial<FrontendModelBody>> {
  const read = frontendModelBody(draft);
  return 'wrong' in read ? read : { body: differing(read.body, shownFrontendModel(one)) };
}

/** The record as the form's fields are sent. */
export const shownFrontendModel = (one: FrontendModel): FrontendModelBody => ({
  name: one.name,
  description: one.description,
  max_model_len: one.max_model_len,
  default_targets: one.default_targets.map(({ model }) => model),
});

export type Jump = Readonly<{ id: number; name: string; rule: string }>;

/** The rules of others that jump to it: they match no more when it is gone. */
export const jumpsTo = (id: number, all: readonly FrontendModel[]): readonly Jump[] =>
  all.flatMap((one) =>
    one.rules.flatMap((rule) =>
      rule.jump_to === id ? [{ id: one.id, name: one.name, rule: ruleName(rule) }] : [],
    ),
  );
