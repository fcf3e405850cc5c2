// What a recorded request had where a rule asked: the value next to each condition of an explanation.

import { notRecorded } from '../../../src/conditions/condition.ts';
import type { RecordedUsage } from '../../../src/conditions/condition.ts';
import { conditionTable } from '../../../src/conditions/table.ts';
import { sayings } from './rule-text.ts';

/** `fields` are those of one condition, as the server names them. */
export function matchedValue([field = '']: readonly string[], usage: RecordedUsage): string {
  const [name = ''] = field.split('.');
  const asking = conditionTable.find(({ fields }) => Object.hasOwn(fields, name));
  return asking?.matched(usage, sayings, field) ?? notRecorded;
}
