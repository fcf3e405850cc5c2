// Builds the record of a frontend model: its rules by position with their targets, and its
// defaults.

import { z } from 'zod';

import type { FrontendModel } from '../../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { FrontendModelRow } from '../../../projections/tables/frontend-models.ts';
import { frontendModelId } from '../../lib/ids.ts';
import { written } from '../http/mutation.ts';
import { ruleRecord, ruleRowIn, targetRecord, targetRowIn, toRuleRecord } from './rule-record.ts';

export const frontendModelRecord = z.object({
  id: frontendModelId,
  name: z.string(),
  description: z.string().nullable(),
  max_model_len: z.int().nullable(),
  rules: z.array(ruleRecord).readonly(),
  default_targets: z.array(targetRecord).readonly(),
});
type FrontendModelRecord = z.input<typeof frontendModelRecord>;

export const toFrontendModelRecord = (row: FrontendModelRow): FrontendModelRecord => ({
  ...row,
  rules: row.rules.map(toRuleRecord),
});

export const frontendModelRecordIn = (state: ConfigState, id: number): FrontendModelRecord =>
  toFrontendModelRecord(frontendModelRowIn(state, id));

export const frontendModelRowIn = (state: ConfigState, id: number): FrontendModelRow =>
  rowIn(state, written(state.frontend_model, id));

const rowIn = (state: ConfigState, model: FrontendModel): FrontendModelRow => ({
  id: model.id,
  name: model.name,
  description: model.description,
  max_model_len: model.maxModelLen,
  rules: model.rules.map((rule) => ruleRowIn(state, rule)),
  default_targets: model.defaultTargets.map((target) => targetRowIn(state, target)),
});
