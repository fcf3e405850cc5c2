// Tests which classes compete and which one wins (specification, "Prompt class").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { clearWinner, nearest, refinersOf, tiersOf } from '../../src/classifier/tiers.ts';
import type { Contender } from '../../src/classifier/tiers.ts';
import { centroidOf } from '../../src/classifier/vector.ts';
import { promptClassId } from '../../src/lib/ids.ts';
import { snapshotPromptClass } from '../../src/snapshot/schema.ts';

/** A centroid at this angle in degrees, in the plane. */
const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

const contender = (id: number, degrees: number, minMargin = 0): Contender => ({
  id: promptClassId.parse(id),
  minMargin,
  centroid: at(degrees),
});

describe('the nearest contender', () => {
  it('wins by as much as it is nearer than the next', () => {
    const found = nearest([contender(1, 0), contender(2, 90), contender(3, 60)], at(0));
    assert.equal(found?.contender.id, 1);
    assert.ok(Math.abs((found?.margin ?? 0) - 0.5) < 1e-6);
  });

  it('wins alone by its own cosine', () => {
    const found = nearest([contender(1, 60)], at(0));
    assert.ok(Math.abs((found?.margin ?? 0) - 0.5) < 1e-6);
  });

  it('is null without contenders, or if all centroids have other dimensions', () => {
    assert.equal(nearest([], at(0)), null);
    const other = { ...contender(1, 0), centroid: Float32Array.of(1, 0, 0) };
    assert.equal(nearest([other], at(0)), null);
    assert.equal(nearest([other, contender(2, 90)], at(0))?.contender.id, 2);
  });

  it('is clear from the margin of its own class on, whatever the other asks for', () => {
    const rival = contender(2, 90, 2);
    const cases = [
      [0.999, 1],
      [1.001, null],
      [0, 1],
    ] as const;
    for (const [minMargin, expected] of cases) {
      const won = clearWinner([contender(1, 0, minMargin), rival], at(0));
      assert.equal(won?.id ?? null, expected, String(minMargin));
    }
  });

  it('is not clear half-way between two', () => {
    const pair = [contender(1, 0, 0.1), contender(2, 90, 0.1)];
    assert.equal(clearWinner(pair, at(45)), null);
  });
});

const centroids = (encoder: string, ids: readonly number[]) => ({
  encoder,
  classes: ids.map((id) => ({ id: promptClassId.parse(id), centroid: [1, 0] })),
});

describe('contenders', () => {
  const classes = [
    [1, 'fast', []],
    [2, 'fast', []],
    [3, 'refined', [1]],
    [4, 'refined', [1, 9]],
    [5, 'refined', [2]],
    [6, 'fast', [1]],
  ] as const;
  const given = classes.map(([id, tier, refines]) =>
    snapshotPromptClass.parse({ id, name: `c${id}`, tier, min_margin: 0.1, refines }),
  );
  const tiers = tiersOf(given, {
    fast: centroids('a', [1, 3, 6]),
    refined: centroids('b', [3, 4, 5]),
  });
  const winner = (id: number) => refinersOf(tiers, contender(id, 0)).map((one) => one.id);

  it('are of one tier, and have a centroid', () => {
    assert.deepEqual(
      tiers.fast.map(({ id }) => id),
      [1, 6],
    );
  });

  it('of the refined tier are those that refine the winner, if there are two', () => {
    assert.deepEqual(winner(1), [3, 4]);
    assert.deepEqual(winner(2), []);
    assert.deepEqual(winner(6), []);
  });
});

describe('a centroid', () => {
  it('is the normalised mean of its examples', () => {
    const centroid = centroidOf([at(0), at(90)]);
    assert.ok(centroid !== null);
    assert.ok(Math.abs((centroid[0] ?? 0) - Math.SQRT1_2) < 1e-6);
    assert.ok(Math.abs((centroid[1] ?? 0) - Math.SQRT1_2) < 1e-6);
  });

  it('is none of no examples, nor of such as cancel each other', () => {
    assert.equal(centroidOf([]), null);
    assert.equal(centroidOf([Float32Array.of(1, 0), Float32Array.of(-1, 0)]), null);
  });
});
