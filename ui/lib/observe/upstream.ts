// Names the classes of upstream responses, as in gw_upstream_status_total.

/** Null if only sums remain. */
export type Answers = Readonly<{
  upstream_success: number | null;
  upstream_client_error: number | null;
  upstream_rate_limited: number | null;
  upstream_server_error: number | null;
  refused_no_backend: number;
  refused_backend_overloaded: number;
}>;

export const answerClasses = [
  { id: 'upstream_success', label: '2xx' },
  { id: 'upstream_rate_limited', label: '429' },
  { id: 'upstream_client_error', label: 'other 4xx' },
  { id: 'upstream_server_error', label: '5xx' },
  { id: 'refused_no_backend', label: 'no response' },
  { id: 'refused_backend_overloaded', label: 'overloaded' },
] as const satisfies readonly Readonly<{ id: keyof Answers; label: string }>[];

export const failureClasses = answerClasses.filter(({ id }) => id !== 'upstream_success');

/** Between 0 and 1: 429, 5xx, no response and overload. Null if unknown or without requests. */
export function failedShare(answers: Answers): number | null {
  const counts = answerClasses.map(({ id }) => answers[id]);
  if (counts.some((count) => count === null)) return null;
  const all = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const { upstream_rate_limited: limited, upstream_server_error: failed } = answers;
  const unanswered = answers.refused_no_backend + answers.refused_backend_overloaded;
  const bad = (limited ?? 0) + (failed ?? 0) + unanswered;
  return all === 0 ? null : bad / all;
}
