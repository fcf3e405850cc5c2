// Tests the labels of fields, and how changes of many records are grouped and marked.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { groupTitle, groupsOf } from '../../../../ui/lib/history/difference-groups.ts';
import { fieldLabel } from '../../../../ui/lib/text/field-label.ts';
import { wordDiff } from '../../../../ui/lib/text/word-diff.ts';

it('a field has the label of its form, with the part that it belongs to', () => {
  const labels = {
    input_price_per_mtok: 'Input price',
    'budget.cost_total_micros': 'Budget · Cost limit',
    'rules.12.tag': 'Rule #12 · Tag',
    'rules.12.targets.3.model_id': 'Rule #12 · Target #3 · Model id',
    'default_targets.0': 'Default target #0',
    'headers.x-team': 'Headers · x-team',
    'call 1.input_price_per_mtok': 'call 1 · Input price',
    some_new_field: 'Some new field',
    'credential (secret)': 'Credential (secret)',
  };
  for (const [field, label] of Object.entries(labels)) assert.equal(fieldLabel(field), label);
});

const budget = (id: number) => ({
  id,
  kind: 'principal',
  change: 'changed' as const,
  fields: [{ field: 'budget.cost_total_micros' }],
});

it('four or more records with the same change form a group at the position of the first', () => {
  const other = { id: 9, kind: 'model', change: 'created' as const, fields: [] };
  const groups = groupsOf([budget(1), other, budget(2), budget(3), budget(4)]);
  assert.deepEqual(
    groups.map(({ members }) => members.map(({ id }) => id)),
    [[1, 2, 3, 4], [9]],
  );
  assert.deepEqual(groups.map(groupTitle)[0], '4 principals: Budget · Cost limit changed');
  assert.equal(groupsOf([1, 2, 3].map(budget)).length, 3);
});

it('marks the words that differ between two texts', () => {
  const { before, after } = wordDiff('$1.00 per million tokens', '$2.00 per million tokens');
  const marked = [before, after].map((pieces) =>
    pieces.filter(({ isOther }) => isOther).map(({ text }) => text),
  );
  assert.deepEqual(marked, [['$1.00'], ['$2.00']]);
  for (const [one, other] of [
    ['small', 'large'],
    ['', 'a'],
  ]) {
    const pieces = wordDiff(one ?? '', other ?? '');
    assert.ok([...pieces.before, ...pieces.after].every(({ isOther }) => !isOther));
  }
});
