// Questions that nobody can answer any more, answered every way: what comes out the same in all of them is known all the same.

import type { Question } from '../conditions/asked.ts';

/** How a question is answered, in the way that is tried. */
export type Assume = (question: Pick<Question, 'key' | 'fields'>) => boolean;

export type AnswerSet<Answer> = Readonly<{
  /** Of each way; of the first ones when there are more than are tried. */
  answers: readonly Answer[];
  /** The fields of all questions that were asked, each once. */
  asked: readonly string[];
  isWhole: boolean;
}>;

/** Six questions that are all asked in every way come to as many. */
const combinationsMax = 64;

/** `ask` is a pure function of what is supposed; it is asked again for each way. */
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
