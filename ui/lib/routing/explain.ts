// Why a request went where it went, in words.

type Rule = Readonly<{
  decides: boolean;
  failed: readonly string[];
  unknown: readonly string[];
  jump_lost: boolean;
}>;

type Verdict = Readonly<{ tone: 'good' | 'plain' | 'warn' | 'bad'; word: string; detail: string }>;

/** What became of a rule, and which conditions were not met. */
export function verdictOf({ decides, failed, unknown, jump_lost }: Rule): Verdict {
  const unsure = unknown.length === 0 ? '' : `not recorded: ${unknown.join(', ')}`;
  if (decides) return { tone: 'good', word: 'decides', detail: unsure };
  if (jump_lost) {
    return {
      tone: 'warn',
      word: 'lost',
      detail: 'Its destination was deleted, or too many jumps came before it.',
    };
  }
  if (failed.length > 0) {
    return {
      tone: 'plain',
      word: 'not met',
      detail: unsure,
    };
  }
  if (unknown.length > 0) return { tone: 'plain', word: 'as recorded', detail: unsure };
  return { tone: 'plain', word: 'after the deciding rule', detail: '' };
}

const dropReasons = {
  not_granted: 'The caller has no permission for it.',
  no_provider: 'It has no provider.',
  listed_before: 'It is already in the list.',
} as const;

type Candidate = Readonly<{
  dropped: keyof typeof dropReasons | null;
  window_too_small: boolean;
  answered: boolean;
  pool: string | null;
  pool_policy: string | null;
  weight: number | null;
  fallback: boolean;
}>;

/** What became of a model that the decision led to. */
export function fateOf({ dropped, window_too_small, answered }: Candidate): Verdict {
  if (dropped !== null) return { tone: 'warn', word: 'dropped', detail: dropReasons[dropped] };
  const detail = window_too_small ? 'Its context window is too small, so it is tried last.' : '';
  if (answered) return { tone: 'good', word: 'answered', detail };
  return { tone: 'plain', word: 'next', detail };
}

/** How it came to be a candidate. */
export function wayOf({ pool, pool_policy: policy, weight, fallback }: Candidate): string {
  const parts = [
    pool === null ? '' : `pool ${pool}${policy === null ? '' : `, ${policy.replaceAll('_', ' ')}`}`,
    weight === null ? '' : `weight ${weight}`,
    fallback ? 'the fallback' : '',
  ].filter((part) => part !== '');
  return parts.join(', ');
}
