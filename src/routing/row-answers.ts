// Answers the conditions of another configuration from a usage row, which records the answers to
// the rules of its own time (rule-inputs.ts). Questions that only other rules ask stay open and are
// never guessed.

import type { Question, LoadCeiling } from '../conditions/asked.ts';
import type { CompiledFrontendModel } from '../snapshot/compile/frontend-models.ts';
import type { RecordedRequest } from './explain-recorded.ts';

/** The configuration that served a request. */
export type Serving = Readonly<{
  /** Undefined when the request named no frontend model. */
  frontendModel: CompiledFrontendModel | undefined;
  /** Equal for equal prompt classes with equal examples. */
  classes: string;
  /** Equal for equal budgets of the caller. Empty without a budget. */
  budget: string;
}>;

/** The configuration whose rules are evaluated now. */
type RouteInput = Pick<Serving, 'classes' | 'budget'> &
  Readonly<{ frontendModel: CompiledFrontendModel }>;

export type RowAnswers = Readonly<{
  /** Null when the row answers the question. */
  open: (question: Question) => Question | null;
  /** True when the row records that no endpoint had capacity. */
  isCrowded: (ceiling: LoadCeiling) => boolean;
}>;

/**
 * `serving` is null when the configuration that served the request is unknown. Then only the row's
 * own columns answer.
 */
export function answersOf(
  { inputs }: Pick<RecordedRequest, 'inputs'>,
  serving: Serving | null,
  { classes, budget, frontendModel: { namesRefined } }: RouteInput,
): RowAnswers {
  const then = serving?.frontendModel;
  const questions = inputs === null ? null : (then?.questions ?? null);
  const crowded = new Set(inputs?.crowded_rules);
  const headers = new Set(Object.keys(inputs?.headers ?? {}).map((name) => `headers.${name}`));
  const isClassKnown =
    then !== undefined &&
    then.namedClasses.size > 0 &&
    then.namesRefined === namesRefined &&
    serving?.classes === classes;
  return {
    open: (question) => {
      switch (question.answeredBy) {
        case 'rules': {
          const isKept = question.fields.every((field) => headers.has(field));
          return isKept || questions?.has(question.key) ? null : question;
        }
        case 'prices':
          return null;
        case 'classes':
          return isClassKnown ? null : inContext(question, [classes, namesRefined]);
        case 'budget':
          // A caller without a budget has used none of it, whatever was recorded.
          return budget === '' || serving?.budget === budget ? null : inContext(question, [budget]);
        case 'time':
          return inputs === null ? question : null;
      }
    },
    isCrowded: ({ key }) => questions?.get(key)?.rules.some((rule) => crowded.has(rule)) ?? false,
  };
}

/** Makes questions of different contexts distinct. */
const inContext = (question: Question, context: readonly unknown[]): Question => ({
  ...question,
  key: JSON.stringify([question.key, ...context]),
});
