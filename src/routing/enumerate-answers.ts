// Evaluates a function for every combination of answers to open questions. A result that is equal for all of them is
// certain.

import type { Question } from '../conditions/asked.ts';

/** Answers a question in the current combination. */
export type Assume = (question: Pick<Question, 'key' | 'fields'>) => boolean;

export type AnswerSet<Answer> = Readonly<{
  /** One result per combination, up to the limit. */
  answers: readonly Answer[];
  /** The fields of all questions, without duplicates. */
  asked: readonly string[];
  isWhole: boolean;
}>;

/** Enough for six questions that are all asked in every combination. */
const combinationsMax = 64;

/** `ask` must be a pure function of the assumed answers. It runs once per combination. */
export function enumerateAnswers<Answer>(ask: (assume: Assume) => Answer): AnswerSet<Answer> {
  const answers: Answer[] = [];
  const asked = new Set<string>();
  const pending: ReadonlyMap<string, boolean>[] = [new Map()];
  for (let way = pending.pop(); way !== undefined; way = pending.pop()) {
    if (answers.length === combinationsMax) return { answers, asked: [...asked], isWhole: false };
    const assumed = new Map(way);
    answers.push(
      ask(({ key, fields }) => {
        const known = assumed.get(key);
        if (known !== undefined) return known;
        for (const field of fields) asked.add(field);
        pending.push(new Map(assumed).set(key, false));
        assumed.set(key, true);
        return true;
      }),
    );
  }
  return { answers, asked: [...asked], isWhole: true };
}
