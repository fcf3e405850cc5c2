// Splits a text into the tokens of a BERT vocabulary, as a tokenizer.json describes it: WordPiece
// with the normalizer and pre-tokenizer of BERT. Rejects other kinds by name, because wrong tokens
// would silently make wrong vectors.

import { z } from 'zod';

import { plainly, problemText } from '../../lib/plain-issue.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export type Tokenizer = Readonly<{
  /** Returns at most `max` tokens and skips text that no token matches. */
  tokens: (text: string, max: number) => number[];
  /** The id of a token by its name, such as [CLS]. */
  id: (token: string) => number | undefined;
  /** Greater than every id. */
  size: number;
}>;

const wordUnitsMax = 100;

const description = z.object({
  normalizer: z
    .object({
      type: z.literal('BertNormalizer', { error: 'only BertNormalizer is read' }),
      lowercase: z.boolean().default(true),
      strip_accents: z.boolean().nullable().default(null),
    })
    .nullable(),
  pre_tokenizer: z
    .object({ type: z.literal('BertPreTokenizer', { error: 'only BertPreTokenizer is read' }) })
    .nullable(),
  model: z.object({
    type: z.literal('WordPiece', { error: 'only WordPiece is read' }),
    continuing_subword_prefix: z.string().default('##'),
    vocab: z.record(z.string(), z.int().nonnegative().max(10_000_000)),
  }),
});

/** `file` is its name in messages. */
export function readTokenizer(json: string, file: string): Tokenizer | Refusal {
  let parsed: z.ZodSafeParseResult<z.output<typeof description>>;
  try {
    parsed = description.safeParse(JSON.parse(json), plainly);
  } catch {
    return refuse('invalid', `${file}: not JSON`);
  }
  if (!parsed.success) {
    return refuse('invalid', `${file}: ${problemText(parsed.error)}`);
  }
  const { normalizer, model } = parsed.data;
  const vocabulary = new Map(Object.entries(model.vocab));
  const isLower = normalizer?.lowercase ?? false;
  const normalised = (text: string): string => {
    const cased = isLower ? text.toLowerCase() : text;
    const isStripped = normalizer?.strip_accents ?? isLower;
    return isStripped ? cased.normalize('NFD').replaceAll(/\p{Mn}/gu, '') : cased;
  };
  const cut = { vocabulary, prefix: model.continuing_subword_prefix };
  return {
    id: (token) => vocabulary.get(token),
    size: [...vocabulary.values()].reduce((most, id) => Math.max(most, id + 1), 0),
    tokens: (text, max) => {
      const ids: number[] = [];
      for (const [word] of normalised(text).matchAll(words)) {
        cutWord(word, cut, ids);
        if (ids.length >= max) return ids.slice(0, max);
      }
      return ids;
    },
  };
}

/** Each sign is a word, and so is each character of scripts without blanks. */
const words =
  /[\p{Script=Han}\u3040-\u30ff]|[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~\p{Cc}\p{Script=Han}\u3040-\u30ff]+/gu;

type Cut = Readonly<{ vocabulary: ReadonlyMap<string, number>; prefix: string }>;

/**
 * Takes the longest matching token, then the longest continuation. A word with an unmatched part is
 * skipped.
 */
function cutWord(word: string, { vocabulary, prefix }: Cut, ids: number[]): void {
  if (word.length > wordUnitsMax) return;
  const own: number[] = [];
  for (let from = 0; from < word.length;) {
    let end = word.length;
    let id: number | undefined;
    for (; end > from; end--) {
      const part = word.slice(from, end);
      id = vocabulary.get(from === 0 ? part : prefix + part);
      if (id !== undefined) break;
    }
    if (id === undefined) return;
    own.push(id);
    from = end;
  }
  ids.push(...own);
}
