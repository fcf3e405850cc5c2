// Tests the built-in encoder: the vectors it makes, and how well it distinguishes classes of twenty
// examples each.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Encoder } from '../../src/classifier/encoder.ts';
import { clearWinner } from '../../src/classifier/tiers.ts';
import type { Contender } from '../../src/classifier/tiers.ts';
import { centroidOf, dot } from '../../src/classifier/vector.ts';
import { promptClassId } from '../../src/lib/ids.ts';
import { builtInEncoders } from '../harness/classifier/prompt-classes.ts';
import { labelledPrompts } from '../harness/classifier/labelled-prompts.ts';

const builtIn = async (): Promise<Encoder> => (await builtInEncoders()).fast.open();

const defaultMinMargin = 0.1;

describe('the built-in encoder', () => {
  it('makes a vector of length 1 of every text that is not blank', async () => {
    const encoder = await builtIn();
    for (const text of [
      'Hi',
      'what is it for?',
      'ß',
      '42',
      '你好，世界',
      '🙂',
      '???',
      'e'.repeat(9_000),
      'a b'.repeat(3_000),
    ]) {
      const vector = encoder.embed(text);
      assert.ok(vector !== null, text);
      assert.equal(vector.length, encoder.dimensions);
      assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5, text);
    }
    for (const text of ['', ' \n\t']) assert.equal(encoder.embed(text), null);
  });

  it('makes the same of a text however its letters are cased or composed', async () => {
    const encoder = await builtIn();
    const one = encoder.embed('Café Crème?');
    const other = encoder.embed('CAFE\u0301 cre\u0300me!');
    assert.ok(one !== null && other !== null);
    assert.ok(dot(one, other) > 0.9999);
  });

  it('reads two thousand characters and no more', async () => {
    const encoder = await builtIn();
    const text = 'bake a cake '.repeat(200).slice(0, 2_000);
    assert.deepEqual(encoder.embed(`${text} integrate the function`), encoder.embed(text));
  });

  it('finds texts of one meaning near to each other, though they share no word', async () => {
    const encoder = await builtIn();
    const near = (one: string, other: string): number =>
      dot(encoder.embed(one) ?? [], encoder.embed(other) ?? []);
    assert.ok(
      near('recipe for lentil soup', 'roast chicken with garlic') >
        near('recipe for lentil soup', 'appeal to a higher court') + 0.2,
    );
  });
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('eight subjects of twenty examples each', () => {
  it('are told apart with a macro precision of at least 0.85 at the default margin', async (t) => {
    const encoder = await builtIn();
    const labelled = labelledPrompts();
    const prompts = labelled.flatMap(({ examples, heldOut }) => [...examples, ...heldOut]);
    assert.equal(labelled.length, 8);
    assert.ok(prompts.length >= 600 && new Set(prompts).size === prompts.length);
    const contenders: Contender[] = labelled.map(({ examples }, index) => {
      assert.equal(examples.length, 20);
      const centroid = centroidOf(examples.flatMap((text) => encoder.embed(text) ?? []));
      assert.ok(centroid !== null);
      return { id: promptClassId.parse(index + 1), minMargin: defaultMinMargin, centroid };
    });
    const judged = labelled.flatMap(({ heldOut }, actual) =>
      heldOut.map((text) => {
        const vector = encoder.embed(text);
        const winner = vector === null ? null : clearWinner(contenders, vector);
        return { actual: actual + 1, predicted: winner?.id ?? null };
      }),
    );
    const scores = labelled.map(({ name }, index) => {
      const taken = judged.filter(({ predicted }) => predicted === index + 1);
      const own = judged.filter(({ actual }) => actual === index + 1);
      const right = taken.filter(({ actual }) => actual === index + 1).length;
      return { name, precision: right / taken.length, recall: right / own.length };
    });
    const precision = mean(scores.map((one) => one.precision));
    const recall = mean(scores.map((one) => one.recall));
    for (const { name, precision, recall } of scores) {
      t.diagnostic(`${name}: precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}`);
    }
    t.diagnostic(`macro precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
    assert.ok(precision >= 0.85, `macro precision ${precision}`);
    assert.ok(recall >= 0.5, `macro recall ${recall}`);
  });
});
