// Tests leave-one-out evaluation against a direct implementation that really removes each example.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { evaluate } from '../../src/classifier/evaluate.ts';
import type { EvaluatedClass } from '../../src/classifier/evaluate.ts';
import { nearest } from '../../src/classifier/tiers.ts';
import type { Contender } from '../../src/classifier/tiers.ts';
import { centroidOf } from '../../src/classifier/vector.ts';
import { promptClassId } from '../../src/lib/ids.ts';
import { builtInEncoders } from '../harness/classifier/prompt-classes.ts';
import { labelledPrompts } from '../harness/classifier/labelled-prompts.ts';

const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

const named = (name: string, minMargin: number, ...degrees: readonly number[]): EvaluatedClass => ({
  name,
  minMargin,
  examples: degrees.map((one, index) => ({ id: index + 1, vector: at(one) })),
});

async function evaluated(): Promise<readonly EvaluatedClass[]> {
  const encoder = (await builtInEncoders()).fast.open();
  return labelledPrompts().map(({ name, examples }) => ({
    name,
    minMargin: 0.1,
    examples: examples.flatMap((text, id) => {
      const vector = encoder.embed(text);
      return vector === null ? [] : [{ id, vector }];
    }),
  }));
}

describe('an evaluation', () => {
  it('equals recomputing each centroid without the example', async () => {
    const classes = await evaluated();
    const found = evaluate(classes);
    const judged = classes.flatMap((own, actual) =>
      own.examples.map(({ id, vector }) => {
        const contenders: Contender[] = classes.map((one, index) => {
          const kept = one.examples.filter((example) => one !== own || example.id !== id);
          const centroid = centroidOf(kept.map((example) => example.vector));
          assert.ok(centroid !== null);
          return { id: promptClassId.parse(index + 1), minMargin: one.minMargin, centroid };
        });
        const best = nearest(contenders, vector);
        const isClear = best !== null && best.margin >= best.contender.minMargin;
        return { actual, predicted: isClear ? best.contender.id - 1 : null };
      }),
    );
    for (const [index, one] of found.classes.entries()) {
      const taken = judged.filter(({ predicted }) => predicted === index);
      const right = taken.filter(({ actual }) => actual === index).length;
      assert.equal(one.precision, taken.length === 0 ? null : right / taken.length, one.class);
      assert.equal(one.recall, right / one.examples, one.class);
    }
    const confused = judged.filter((one) => one.predicted !== null && one.predicted !== one.actual);
    assert.equal(found.confusions.length, confused.length);
  });

  it('takes for nothing what lies below the margin of the nearest class', () => {
    const [strict, lax] = evaluate([named('strict', 1.5, 0, 2), named('lax', 0, 90, 92)]).classes;
    assert.deepEqual([strict?.precision, strict?.recall], [null, 0]);
    assert.deepEqual([lax?.precision, lax?.recall], [1, 1]);
    assert.equal(strict?.verdict, 'weak');
    assert.equal(lax?.verdict, 'good');
  });

  it('names what was taken for another class', () => {
    const { classes, confusions } = evaluate([named('one', 0, 0, 1, 89), named('two', 0, 90, 91)]);
    assert.deepEqual(confusions, [{ actual: 'one', predicted: 'two', example_id: 3 }]);
    assert.equal(classes[1]?.precision, 2 / 3);
    assert.ok((classes[0]?.worst_margin ?? 0) < 0);
  });

  it('calls classes whose centroids nearly agree a collision', () => {
    const { classes } = evaluate([named('one', 0, 0, 10), named('two', 0, 20, 30)]);
    assert.deepEqual(
      classes.map(({ collides, verdict, nearest }) => [collides, verdict, nearest[0]?.[0]]),
      [
        [true, 'collision', 'two'],
        [true, 'collision', 'one'],
      ],
    );
  });
});
