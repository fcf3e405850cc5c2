// Reads the form of a frontend model, and finds the rules that jump to one.

import type { FrontendModel } from '../../api/records.ts';
import { count, formOf, list, name, text } from '../saves/typed.ts';
import { ruleName } from './rule-name.ts';

const form = formOf({
  name,
  description: text,
  max_model_len: count,
  /** Names of models and pools. */
  default_targets: list,
});
export type FrontendModelDraft = typeof form.blank;

export const frontendModelForm = {
  ...form,
  write: (one: FrontendModel): FrontendModelDraft => form.write(shownFrontendModel(one)),
  change: (draft: FrontendModelDraft, one: FrontendModel) =>
    form.change(draft, shownFrontendModel(one)),
};

export type FrontendModelBody = Parameters<typeof form.write>[0];

export const shownFrontendModel = ({
  name,
  description,
  max_model_len,
  ...one
}: FrontendModel) => ({
  name,
  description,
  max_model_len,
  default_targets: one.default_targets.map(({ model }) => model),
});

export type Jump = Readonly<{ id: number; name: string; rule: string }>;

/** These rules stop matching when the frontend model is deleted. */
export const jumpsTo = (id: number, all: readonly FrontendModel[]): readonly Jump[] =>
  all.flatMap((one) =>
    one.rules.flatMap((rule) =>
      rule.jump_to === id ? [{ id: one.id, name: one.name, rule: ruleName(rule) }] : [],
    ),
  );
