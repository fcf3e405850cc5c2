// Tests the logic of the prompt classes screen: how examples are pasted, and how an evaluation is
// described.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Evaluation, PromptClass } from '../../../../ui/api/records.ts';
import {
  blankClass,
  classBody,
  classChange,
  fromClass,
  readExamples,
  wrongExamples,
} from '../../../../ui/lib/routing/class-draft.ts';
import {
  adviceOf,
  comparedOf,
  confusionsOf,
  encodersText,
  evaluatorOf,
  gainOf,
  gainText,
  marginText,
} from '../../../../ui/lib/routing/evaluation.ts';

const pasted = (examples: string, labels = '') => ({ examples, labels });
const promptsIn = (examples: string) =>
  readExamples(pasted(examples)).map(({ prompt, label }) => {
    assert.equal(label, null);
    return prompt;
  });

it('reads pasted prompts one a line, or separated by blank lines where there are any', () => {
  assert.deepEqual(promptsIn('one\n two \r\none\n'), ['one', 'two']);
  assert.deepEqual(promptsIn('one\nstill one\n\n \ntwo'), ['one\nstill one', 'two']);
  assert.deepEqual(promptsIn(' \n'), []);
});

it('gives each pasted prompt the label on its line, also after a prompt that is there twice', () => {
  assert.deepEqual(readExamples(pasted('one\none\ntwo\nthree', 'first\r\nagain\n\n third \n\n')), [
    { prompt: 'one', label: 'first' },
    { prompt: 'two', label: null },
    { prompt: 'three', label: 'third' },
  ]);
});

it('refuses more labels than examples, and a label of more than 100 characters', () => {
  assert.equal(wrongExamples(pasted('one', 'a'.repeat(100))), null);
  const long = wrongExamples(pasted('one\ntwo', `\n${'a'.repeat(101)}`));
  assert.deepEqual(long?.wrong, {
    field: 'labels',
    message: 'label 2 is longer than 100 characters',
  });
  const many = wrongExamples(pasted('one', 'a\nb'));
  assert.deepEqual(many?.wrong, { field: 'labels', message: '2 labels are given for 1 examples' });
});

it('reports too many or too long prompts at the field', () => {
  assert.equal(wrongExamples(pasted('a')), null);
  const many = wrongExamples(pasted('a\nb'), 1);
  assert.equal(many?.wrong.message, 'enter at most 1 examples at once, not 2');
  const long = wrongExamples(pasted(`a\n${'b'.repeat(8_001)}`));
  assert.equal(long?.wrong.message, 'example 2 is longer than 8,000 characters');
});

const billing: PromptClass = {
  id: 4,
  version: 9,
  name: 'billing',
  description: null,
  tier: 'refined',
  min_margin: 0.1,
  refines: ['support', 'code'],
  examples: 20,
  routable: true,
};

it('sends only changed fields of a class; a fast class refines nothing', () => {
  assert.deepEqual(classChange(fromClass(billing), billing), { body: {} });
  assert.deepEqual(classChange({ ...fromClass(billing), tier: 'fast' }, billing), {
    body: { tier: 'fast', refines: [] },
  });
  for (const text of ['', 'wide', '2.1', '-1', '1e0']) {
    const read = classBody({ ...blankClass, min_margin: text });
    assert.equal('wrong' in read ? read.wrong.field : null, 'min_margin', text);
  }
});

const evaluated: Evaluation['classes'][number] = {
  class: 'billing',
  tier: 'fast',
  refines: null,
  examples: 20,
  precision: 0.9,
  recall: 0.6,
  mean_margin: 0.2,
  worst_margin: -0.05,
  min_margin: 0.1,
  nearest: [['code', 0.4]],
  collides: false,
  verdict: 'good',
};
const confusion = (actual: string, predicted: string, example_id: number) => ({
  actual,
  predicted,
  example_id,
  label: `label ${example_id}`,
  refines: null,
});
const evaluation: Evaluation = {
  id: 7,
  evaluated_at: '2026-11-21T10:00:00Z',
  principal_id: 2,
  principal_name: 'ada',
  snapshot_version: 12,
  fast_encoder: 'english-1',
  refined_encoder: null,
  classes: [evaluated],
  confusions: [confusion('code', 'billing', 3), confusion('a', 'b', 1), confusion('a', 'b', 2)],
  note: null,
};

it('compares an evaluation with the previous one if both have a value', () => {
  const before = { ...evaluation, classes: [{ ...evaluated, precision: 0.8, recall: 0.6 }] };
  assert.equal(gainOf(evaluated, before, 'precision'), 0.1);
  assert.equal(gainOf(evaluated, before, 'recall'), null);
  assert.equal(gainOf({ ...evaluated, class: 'new' }, before, 'precision'), null);
  assert.equal(gainOf({ ...evaluated, precision: null }, before, 'precision'), null);
  assert.equal(gainOf(evaluated, null, 'precision'), null);
  assert.deepEqual([0.1, -0.004, -0.25].map(gainText), ['+0.10', '−0.004', '−0.25']);
});

it('a margin that rounds to zero has no sign', () =>
  assert.deepEqual([-0.001, 0.004, -0.25].map(marginText), ['0.00', '0.00', '−0.25']));

it('counts misclassifications by class, most frequent first', () => {
  assert.deepEqual(
    confusionsOf(evaluation).map(({ actual, predicted, examples }) => [
      actual,
      predicted,
      examples.map(({ id, label }) => `${id} ${label}`),
    ]),
    [
      ['a', 'b', ['1 label 1', '2 label 2']],
      ['code', 'billing', ['3 label 3']],
    ],
  );
});

it('a verdict includes a recommendation', () => {
  assert.equal(adviceOf(evaluated), null);
  assert.match(String(adviceOf({ ...evaluated, recall: 0.2 })), /Lower the margin/);
  assert.match(String(adviceOf({ ...evaluated, verdict: 'collision' })), /code/);
});

it('compares with the chosen evaluation while it is kept, otherwise with the one before the newest', () => {
  const [newest, before, oldest] = [
    { ...evaluation, id: 3 },
    { ...evaluation, id: 2 },
    { ...evaluation, id: 1 },
  ] as const;
  assert.equal(comparedOf([], null), null);
  assert.equal(comparedOf([newest], 3), null);
  assert.equal(comparedOf([newest, before, oldest], null), before);
  assert.equal(comparedOf([newest, before, oldest], 1), oldest);
  assert.equal(comparedOf([newest, before], 1), before);
});

it('names the encoders of an evaluation, and a deleted principal', () => {
  assert.equal(encodersText(evaluation), 'english-1');
  assert.equal(encodersText({ ...evaluation, refined_encoder: 'bge' }), 'english-1 and bge');
  assert.equal(encodersText({ fast_encoder: null, refined_encoder: null }), 'none');
  assert.equal(evaluatorOf(evaluation), 'ada');
  assert.equal(evaluatorOf({ ...evaluation, principal_name: null }), 'a deleted principal');
});
