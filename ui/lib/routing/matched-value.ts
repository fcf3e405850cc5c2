// Finds the recorded values of a request for the conditions of an explanation.

import { notRecorded } from '../../../src/conditions/condition.ts';
import type { RecordedUsage } from '../../../src/conditions/condition.ts';
import { conditionTable } from '../../../src/conditions/table.ts';
import { sayings } from './rule-text.ts';

/** `fields` are the server names of one condition. */
export function matchedValue([field = '']: readonly string[], usage: RecordedUsage): string {
  const [name = ''] = field.split('.');
  const asking = conditionTable.find(({ fields }) => Object.hasOwn(fields, name));
  return asking?.matched(usage, sayings, field) ?? notRecorded;
}
