// How a request ended, in a word and its tone.

type Known = Readonly<{ status: number | null; refusal: string | null; cached: boolean }>;

export function outcomeOf({ status, refusal, cached }: Known) {
  if (refusal !== null) return { tone: 'warn', word: `refused: ${refusal}` } as const;
  if (status === null) return { tone: 'bad', word: 'no answer' } as const;
  if (status >= 500) return { tone: 'bad', word: String(status) } as const;
  if (status >= 400) return { tone: 'warn', word: String(status) } as const;
  return { tone: 'good', word: cached ? `${status}, cached` : String(status) } as const;
}
