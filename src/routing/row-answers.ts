// What a usage row tells about the conditions of a configuration that did not serve it. The row has the answers to what the rules of
// its own time asked (rule-inputs.ts). What only other rules ask stays open and is never guessed.

import type { Question, LoadCeiling } from '../conditions/asked.ts';
import type { CompiledFrontendModel } from '../snapshot/compile/frontend-models.ts';
import type { RecordedRequest } from './explain-recorded.ts';

/** The configuration that served a request, as far as it says what was asked of it. */
export type Serving = Readonly<{
  /** The one that was named; undefined when none was. */
  frontendModel: CompiledFrontendModel | undefined;
  /** Equal for equal prompt classes with equal examples. */
  classes: string;
  /** Equal for equal budgets of the caller; empty for none. */
  budget: string;
}>;

/** The configuration whose rules ask now. */
type Asking = Pick<Serving, 'classes' | 'budget'> &
  Readonly<{ frontendModel: CompiledFrontendModel }>;

export type RowAnswers = Readonly<{
  /** The question as it stays open under the configuration that asks; null where the row tells the answer. */
  open: (question: Question) => Question | null;
  /** No endpoint had room; false where the row does not tell. */
  isCrowded: (ceiling: LoadCeiling) => boolean;
}>;

/** `serving` is null when it is not known what served the request: its row then tells its own fields alone. */
export function answersOf(
  { inputs }: Pick<RecordedRequest, 'inputs'>,
  serving: Serving | null,
  { classes, budget, frontendModel: { namesRefined } }: Asking,
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
          // A caller without a budget has used nothing of it, whatever it had then.
          return budget === '' || serving?.budget === budget ? null : inContext(question, [budget]);
        case 'time':
          return inputs === null ? question : null;
      }
    },
    isCrowded: ({ key }) => questions?.get(key)?.rules.some((rule) => crowded.has(rule)) ?? false,
  };
}

/** The same question under two configurations is two questions where they differ in the context. */
const inContext = (question: Question, context: readonly unknown[]): Question => ({
  ...question,
  key: JSON.stringify([question.key, ...context]),
});
