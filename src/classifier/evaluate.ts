// Evaluates how well classes are distinguished, with their own examples. Each example is classified
// as if it were not an example (leave-one-out), so that a class gains nothing from having seen it.

import type { Vector } from './encoder.ts';
import { dot } from './vector.ts';

export type EvaluatedClass = Readonly<{
  name: string;
  minMargin: number;
  examples: readonly Readonly<{ id: number; vector: Vector }>[];
}>;

export const verdict = ['collision', 'good', 'usable', 'weak'] as const;
export type Verdict = (typeof verdict)[number];

export type ClassEvaluation = Readonly<{
  class: string;
  examples: number;
  /** The share of examples assigned to this class that belong to it; null if none was assigned. */
  precision: number | null;
  /**
   * The share of its own examples that were assigned to it. Unclassified examples count against it.
   */
  recall: number;
  /**
   * Mean over its examples: the cosine to the own class minus that to the best other class.
   * Negative if another class was nearer.
   */
  mean_margin: number;
  worst_margin: number;
  min_margin: number;
  /** By the cosine between the centroids. */
  nearest: readonly (readonly [name: string, similarity: number])[];
  /** True if another class is so near that examples cannot distinguish the two. */
  collides: boolean;
  verdict: Verdict;
}>;

export type Confusion = Readonly<{ actual: string; predicted: string; example_id: number }>;

const nearestMax = 3;
const collidesAbove = 0.8;
const goodFrom = 0.85;
const usableFrom = 0.7;

/** Leave-one-out needs at least one remaining example. */
export const evaluatedExamplesMin = 2;

type Sum = Readonly<{ one: EvaluatedClass; sum: Float32Array; length: number }>;
type Verdicts = Readonly<{ actual: number; predicted: number | null; margin: number; id: number }>;

/** Needs at least two competing classes, each with at least `evaluatedExamplesMin` examples. */
export function evaluate(
  classes: readonly EvaluatedClass[],
): Readonly<{ classes: readonly ClassEvaluation[]; confusions: readonly Confusion[] }> {
  const sums = classes.map(sumOf);
  const judged = sums.flatMap(({ one }, actual) =>
    one.examples.map((example) => ({ actual, id: example.id, ...judge(sums, actual, example) })),
  );
  const confused = judged.filter(({ actual, predicted }) => predicted !== actual);
  return {
    classes: sums.map((own, index) => summary(own, index, sums, judged)),
    confusions: confused.flatMap(({ actual, predicted, id }) =>
      predicted === null
        ? []
        : [{ actual: nameAt(sums, actual), predicted: nameAt(sums, predicted), example_id: id }],
    ),
  };
}

function sumOf(one: EvaluatedClass): Sum {
  const sum = new Float32Array(one.examples[0]?.vector.length ?? 0);
  for (const { vector } of one.examples) {
    for (let index = 0; index < sum.length; index++) {
      sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0);
    }
  }
  return { one, sum, length: Math.sqrt(dot(sum, sum)) };
}

/**
 * Subtracts the example from the sum of its own class, which avoids a second pass over the
 * examples.
 */
function judge(
  sums: readonly Sum[],
  actual: number,
  { vector }: Readonly<{ vector: Vector }>,
): Pick<Verdicts, 'predicted' | 'margin'> {
  const cosines = sums.map(({ sum, length }, index) => {
    const product = dot(sum, vector);
    if (index !== actual) return length === 0 ? -1 : product / length;
    const rest = Math.sqrt(Math.max(0, length * length - 2 * product + 1));
    return rest === 0 ? -1 : (product - 1) / rest;
  });
  let best = 0;
  let next = -1;
  for (let index = 1; index < cosines.length; index++) {
    if ((cosines[index] ?? -1) > (cosines[best] ?? -1)) {
      next = best;
      best = index;
    } else if (next === -1 || (cosines[index] ?? -1) > (cosines[next] ?? -1)) next = index;
  }
  const at = (index: number): number => cosines[index] ?? -1;
  const lead = at(best) - at(next);
  const isClear = lead >= (sums[best]?.one.minMargin ?? 0);
  const rival = best === actual ? next : best;
  return { predicted: isClear ? best : null, margin: at(actual) - at(rival) };
}

function summary(
  { one, sum, length }: Sum,
  index: number,
  sums: readonly Sum[],
  judged: readonly Verdicts[],
): ClassEvaluation {
  const own = judged.filter(({ actual }) => actual === index);
  const taken = judged.filter(({ predicted }) => predicted === index);
  const right = taken.filter(({ actual }) => actual === index).length;
  const margins = own.map(({ margin }) => margin);
  const precision = taken.length === 0 ? null : right / taken.length;
  const others = sums.filter((_, other) => other !== index);
  const nearest = others
    .map((other) => [other.one.name, dot(sum, other.sum) / (length * other.length || 1)] as const)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, nearestMax);
  const collides = (nearest[0]?.[1] ?? -1) > collidesAbove;
  return {
    class: one.name,
    examples: own.length,
    precision,
    recall: right / own.length,
    mean_margin: margins.reduce((total, margin) => total + margin, 0) / margins.length,
    worst_margin: Math.min(...margins),
    min_margin: one.minMargin,
    nearest,
    collides,
    verdict: verdictOf(collides, precision),
  };
}

function verdictOf(collides: boolean, precision: number | null): Verdict {
  if (collides) return 'collision';
  if (precision !== null && precision >= goodFrom) return 'good';
  return precision !== null && precision >= usableFrom ? 'usable' : 'weak';
}

const nameAt = (sums: readonly Sum[], index: number): string => sums[index]?.one.name ?? '';
