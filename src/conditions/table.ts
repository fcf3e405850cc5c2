// Lists all rule conditions. To add one, write its file and add it here (CONTRIBUTING.md). The UI
// uses this table too, so conditions must not import packages at run time.

import { budgetUsed } from './budget-used.ts';
import { callers } from './callers.ts';
import { clock } from './clock.ts';
import type { Fields, RecordValues, StoredValues } from './condition.ts';
import { headers } from './headers.ts';
import { maxInflight } from './max-inflight.ts';
import { maxTokens } from './max-tokens.ts';
import { promptClass } from './prompt-class.ts';
import { promptTokens } from './prompt-tokens.ts';
import { requestCost } from './request-cost.ts';
import { stream } from './stream.ts';

/** In the field order of events, responses and files. Add new conditions at the end. */
export const conditionTable = [
  callers,
  promptTokens,
  maxTokens,
  stream,
  headers,
  budgetUsed,
  maxInflight,
  promptClass,
  requestCost,
  clock,
] as const;

export type ConditionId = (typeof conditionTable)[number]['id'];
export type ConditionFields = Intersection<(typeof conditionTable)[number]['fields']>;
export type FieldName = keyof ConditionFields;

export type ConditionValues = StoredValues<ConditionFields>;
export type ConditionRecord = RecordValues<ConditionFields>;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export const conditionFields = mergedFields(conditionTable);

function mergedFields<Table extends readonly Readonly<{ fields: Fields }>[]>(
  table: Table,
): Intersection<Table[number]['fields']>;
function mergedFields(table: readonly Readonly<{ fields: Fields }>[]): Fields {
  return Object.assign({}, ...table.map(({ fields }) => fields));
}

export const fieldNames = namesOf(conditionFields);

function namesOf<Fields extends object>(fields: Fields): readonly (keyof Fields & string)[];
function namesOf(fields: object): readonly string[] {
  return Object.keys(fields);
}

/** Most rules fail the cheap conditions. */
export const byEffort = conditionTable.toSorted((a, b) => a.effort - b.effort);
