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
    return { tone: 'warn', word: 'lost', detail: 'its destination was gone, or a jump too far' };
  }
  if (failed.length > 0) {
    return {
      tone: 'plain',
      word: 'not met',
      detail: [failed.join(', '), unsure].filter((one) => one !== '').join('; '),
    };
  }
  if (unknown.length > 0) return { tone: 'plain', word: 'as recorded', detail: unsure };
  return { tone: 'plain', word: 'behind the one that decides', detail: '' };
}

const dropReasons = {
  not_granted: 'the caller may not invoke it',
  no_provider: 'it has no provider',
  listed_before: 'it is listed before already',
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
  const detail = window_too_small ? 'its window is too small, so it goes last' : '';
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
