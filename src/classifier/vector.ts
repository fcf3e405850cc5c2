// Computes with vectors: lengths, cosines and means of directions.

import type { Vector } from './encoder.ts';

/** The cosine of two vectors of length 1. */
export function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/** Scales the vector to length 1 in place. Returns false for a zero vector. */
export function normalise(vector: Float32Array): boolean {
  const length = Math.sqrt(dot(vector, vector));
  if (!(length > 0) || !Number.isFinite(length)) return false;
  for (let index = 0; index < vector.length; index++) {
    vector[index] = (vector[index] ?? 0) / length;
  }
  return true;
}

/** Null if there are no vectors, or if they cancel each other out. */
export function centroidOf(vectors: readonly Vector[]): Vector | null {
  const centroid = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let index = 0; index < centroid.length; index++) {
      centroid[index] = (centroid[index] ?? 0) + (vector[index] ?? 0);
    }
  }
  return normalise(centroid) ? centroid : null;
}
