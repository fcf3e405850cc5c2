// Describes an evaluation of prompt classes: changes since an earlier one, recommendations and misclassified examples.

import type { Evaluation } from '../../api/records.ts';

type Evaluated = Evaluation['classes'][number];

/** `evaluations` are newest first. The chosen one if it still exists, otherwise the previous one; null if there is none. */
export function comparedOf(
  evaluations: readonly Evaluation[],
  chosenId: number | null,
): Evaluation | null {
  const older = evaluations.slice(1);
  return older.find(({ id }) => id === chosenId) ?? older[0] ?? null;
}

export const evaluatorOf = ({ principal_name: name }: Evaluation): string =>
  name === null ? 'a deleted principal' : name || 'an erased principal';

type Encoded = Pick<Evaluation, 'fast_encoder' | 'refined_encoder'>;

export const encodersText = ({ fast_encoder: fast, refined_encoder: refined }: Encoded): string =>
  [fast, refined].filter((encoder) => encoder !== null).join(' and ') || 'none';

export type Measure = 'precision' | 'recall' | 'mean_margin' | 'worst_margin';

/** Compares displayed values. Null if not comparable or equal. */
export function gainOf(now: Evaluated, before: Evaluation | null, measure: Measure): number | null {
  const then = before?.classes.find(
    (one) => one.class === now.class && one.refines === now.refines,
  )?.[measure];
  const value = now[measure];
  if (then === undefined || then === null || value === null) return null;
  const gain = Math.round((value - then) * 1_000) / 1_000;
  return gain === 0 ? null : gain;
}

export const gainText = (gain: number): string =>
  `${gain > 0 ? '+' : '−'}${Math.abs(gain).toFixed(Math.abs(gain) < 0.01 ? 3 : 2)}`;

export const shareText = (share: number | null): string =>
  share === null ? 'no data' : `${Math.round(share * 100)} %`;

/** Values that round to zero have no sign. */
export const marginText = (margin: number): string =>
  margin
    .toFixed(2)
    .replace(/^-0\.00$/, '0.00')
    .replace('-', '−');

export type Tone = 'good' | 'warn' | 'bad';

export const toneOfVerdict = (verdict: Evaluated['verdict']): Tone =>
  verdict === 'good' ? 'good' : verdict === 'usable' ? 'warn' : 'bad';

export function adviceOf({ verdict, recall, nearest }: Evaluated): string | null {
  const [first] = nearest;
  switch (verdict) {
    case 'collision':
      return `Too similar to ${first?.[0] ?? 'another class'}. Merge them or use more distinct examples`;
    case 'weak':
      return 'Low precision. Add examples or raise the margin';
    case 'usable':
      return 'Medium precision. Add more varied examples';
    case 'good':
      return recall <= 0.5 ? 'High precision, low recall. Lower the margin' : null;
  }
}

export type Confused = Readonly<{
  actual: string;
  predicted: string;
  refines: string | null;
  examples: readonly Readonly<{ id: number; label: string | null }>[];
}>;

/** By actual and predicted class, most frequent first. */
export function confusionsOf({ confusions }: Evaluation): readonly Confused[] {
  const pairs = new Map<string, Confused>();
  for (const { actual, predicted, refines, example_id: id, label } of confusions) {
    const key = JSON.stringify([refines, actual, predicted]);
    const held = pairs.get(key) ?? { actual, predicted, refines, examples: [] };
    pairs.set(key, { ...held, examples: [...held.examples, { id, label }] });
  }
  return [...pairs.values()].toSorted((a, b) => b.examples.length - a.examples.length);
}
