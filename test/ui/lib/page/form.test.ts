// Tests the logic of forms: which field shows an error, which field is missing, and what a list of
// picks accepts.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fieldOf, missingOf } from '../../../../ui/lib/page/field-error.ts';
import { optionsLeft, pickedOf, readPicks, writePicks } from '../../../../ui/lib/page/picks.ts';

it('an error is shown at its field, and one of a list part at the list', () => {
  const fields = [{ name: 'name' }, { name: 'targets' }, { name: 'target' }];
  const cases = [
    ['name', 'name'],
    ['targets', 'targets'],
    ['targets.0.model', 'targets'],
    ['names', undefined],
    ['if-match', undefined],
    ['', undefined],
    [null, undefined],
  ] as const;
  for (const [param, name] of cases)
    assert.equal(fieldOf(fields, { param })?.name, name, `${param}`);
  assert.equal(fieldOf(fields, null), null);
});

it('finds the first required field that is empty', () => {
  const field = { name: 'a', required: true, value: 'x' };
  const blank = { name: 'b', required: true, value: ' ' };
  assert.equal(missingOf([field, { ...blank, required: false }]), null);
  assert.equal(missingOf([field, blank])?.name, 'b');
});

const options = [
  { value: 'm1', label: 'small' },
  { value: 'p1', label: 'small', note: 'pool' },
  { value: 'm2', label: 'large' },
];

it('picks have one line each, with an optional weight', () => {
  assert.deepEqual(readPicks('m1\t3\n\nm2'), [
    { value: 'm1', weight: '3' },
    { value: 'm2', weight: '1' },
  ]);
  for (const [weighted, text] of [
    [true, 'm1\t3\nm2\t1'],
    [false, 'm1\nm2'],
  ] as const) {
    assert.equal(writePicks(readPicks('m1\t 3 \nm2'), { weighted }), text);
  }
});

it('typed text is picked once, by label or value; two options of one name can both be picked', () => {
  const first = pickedOf('small', { picks: [], options });
  const values = (picked: typeof first) =>
    'wrong' in picked ? picked.wrong : picked.picks.map(({ value }) => value).join(' ');
  assert.equal(values(first), 'm1');
  const picks = readPicks('m1');
  assert.equal(values(pickedOf('small', { picks, options })), 'm1 p1');
  assert.equal(values(pickedOf('m1', { picks, options })), 'm1 is already in the list');
  assert.match(values(pickedOf('huge', { picks, options })), /is not one of the options/);
  assert.deepEqual(
    optionsLeft({ picks, options }).map(({ value }) => value),
    ['p1', 'm2'],
  );
});
