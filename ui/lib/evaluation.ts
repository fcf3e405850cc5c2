// An evaluation of prompt classes: what of it changed since the one before, who is taken for whom, and how it is kept in the browser.

import type { Evaluation } from '../api/prompt-classes.ts';

type Evaluated = Evaluation['classes'][number];

export type Kept = Readonly<{ at: string; evaluation: Evaluation }>;

/** The newest and the one before it; null where there is none. */
export type Evaluations = Readonly<{ newest: Kept | null; before: Kept | null }>;

export const noEvaluations: Evaluations = { newest: null, before: null };

/** One of the past is of no use once it is of other classes altogether, but what is the same can be compared. */
export const withEvaluation = ({ newest }: Evaluations, kept: Kept): Evaluations => ({
  newest: kept,
  before: newest,
});

/** As it was kept; what cannot be read is none. */
export function readEvaluations(text: string | null): Evaluations {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    if (!isKeptPair(read)) return noEvaluations;
    return { newest: read.newest, before: read.before };
  } catch {
    return noEvaluations;
  }
}

const isKeptPair = (value: unknown): value is Evaluations =>
  typeof value === 'object' &&
  value !== null &&
  ['newest', 'before'].every((name) => isKept(Reflect.get(value, name)));

function isKept(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  const evaluation: unknown = Reflect.get(value, 'evaluation');
  return (
    typeof Reflect.get(value, 'at') === 'string' &&
    typeof evaluation === 'object' &&
    evaluation !== null &&
    Array.isArray(Reflect.get(evaluation, 'classes')) &&
    Array.isArray(Reflect.get(evaluation, 'confusions'))
  );
}

export type Measure = 'precision' | 'recall' | 'mean_margin' | 'worst_margin';

/** How much it is above what it was, as it is shown; null where it cannot be compared, or is the same. */
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
  share === null ? 'none taken' : `${Math.round(share * 100)} %`;

/** What is nearly nothing has no sign. */
export const marginText = (margin: number): string =>
  margin
    .toFixed(2)
    .replace(/^-0\.00$/, '0.00')
    .replace('-', '−');

export type Tone = 'good' | 'warn' | 'bad';

export const toneOfVerdict = (verdict: Evaluated['verdict']): Tone =>
  verdict === 'good' ? 'good' : verdict === 'usable' ? 'warn' : 'bad';

/** What to do about it, in a few words; null is nothing. */
export function adviceOf({ verdict, recall, nearest }: Evaluated): string | null {
  const [first] = nearest;
  switch (verdict) {
    case 'collision':
      return `Cannot be told from ${first?.[0] ?? 'another class'}: merge them, or make their examples differ`;
    case 'weak':
      return 'Takes prompts of others: more examples, or a higher margin';
    case 'usable':
      return 'Takes some prompts of others: more varied examples help';
    case 'good':
      return recall <= 0.5
        ? 'Sure, but passes half of its prompts by: a lower margin finds more'
        : null;
  }
}

export type Confused = Readonly<{
  actual: string;
  predicted: string;
  refines: string | null;
  examples: readonly Readonly<{ id: number; label: string | null }>[];
}>;

/** Examples that were taken for another class, by which for which, the most first. */
export function confusionsOf({ confusions }: Evaluation): readonly Confused[] {
  const pairs = new Map<string, Confused>();
  for (const { actual, predicted, refines, example_id: id, label } of confusions) {
    const key = JSON.stringify([refines, actual, predicted]);
    const held = pairs.get(key) ?? { actual, predicted, refines, examples: [] };
    pairs.set(key, { ...held, examples: [...held.examples, { id, label }] });
  }
  return [...pairs.values()].toSorted((a, b) => b.examples.length - a.examples.length);
}
