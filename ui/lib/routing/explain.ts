// Describes why a request was routed as it was.

type Rule = Readonly<{
  decides: boolean;
  failed: readonly string[];
  unknown: readonly string[];
  jump_lost: boolean;
}>;

type Verdict = Readonly<{ tone: 'good' | 'plain' | 'warn' | 'bad'; word: string; detail: string }>;

export function verdictOf({ decides, failed, unknown, jump_lost }: Rule): Verdict {
  const unsure = unknown.length === 0 ? '' : `not recorded: ${unknown.join(', ')}`;
  if (decides) return { tone: 'good', word: 'decides', detail: unsure };
  if (jump_lost) {
    return {
      tone: 'warn',
      word: 'lost',
      detail: 'The jump target was deleted, or the jump limit was reached.',
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
  not_granted: 'The caller has no permission to invoke this model.',
  no_provider: 'The model has no provider.',
  listed_before: 'Duplicate of an earlier target.',
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

export function fateOf({ dropped, window_too_small, answered }: Candidate): Verdict {
  if (dropped !== null) return { tone: 'warn', word: 'dropped', detail: dropReasons[dropped] };
  const detail = window_too_small
    ? 'The context window is too small, so this model is tried last.'
    : '';
  if (answered) return { tone: 'good', word: 'answered', detail };
  return { tone: 'plain', word: 'next', detail };
}

/** The reason why the model is a candidate. */
export function wayOf({ pool, pool_policy: policy, weight, fallback }: Candidate): string {
  const parts = [
    pool === null ? '' : `pool ${pool}${policy === null ? '' : `, ${policy.replaceAll('_', ' ')}`}`,
    weight === null ? '' : `weight ${weight}`,
    fallback ? 'global fallback' : '',
  ].filter((part) => part !== '');
  return parts.join(', ');
}
