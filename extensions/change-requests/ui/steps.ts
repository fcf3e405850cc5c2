// Decides which steps of a change request a person can take, and names its states and kinds.

type State =
  | 'open'
  | 'approved'
  | 'scheduled'
  | 'applied'
  | 'refused'
  | 'withdrawn'
  | 'expired'
  | 'review_due'
  | 'reviewed';

type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info';

const tones: Readonly<Record<State, Tone>> = {
  open: 'info',
  approved: 'good',
  scheduled: 'good',
  applied: 'plain',
  refused: 'bad',
  withdrawn: 'plain',
  expired: 'plain',
  review_due: 'warn',
  reviewed: 'plain',
};

export const toneOfState = (state: State): Tone => tones[state];
export const stateWords = (state: State): string => state.replaceAll('_', ' ');

export const changeKinds = [
  {
    value: 'access',
    label: 'Access',
    about: 'principals, roles, permissions, passwords, admin tokens',
  },
  { value: 'keys', label: 'API keys', about: 'creating, changing and revoking them' },
  { value: 'providers', label: 'Providers', about: 'addresses and credentials' },
  { value: 'models', label: 'Models', about: 'models and the providers that serve them' },
  { value: 'prices', label: 'Prices', about: 'prices of models' },
  { value: 'routing', label: 'Routing', about: 'frontend models, rules, pools, prompt classes' },
  { value: 'limits', label: 'Limits and budgets', about: 'rate limits and budgets of principals' },
  { value: 'tools', label: 'Tools', about: 'MCP servers and agents' },
  { value: 'webhooks', label: 'Webhooks', about: 'addresses, types and secrets' },
  { value: 'policy', label: 'This policy', about: 'always included once another kind is selected' },
] as const;

export type ChangeKind = (typeof changeKinds)[number]['value'];

export const kindsText = (kinds: readonly string[]): string =>
  changeKinds
    .filter(({ value }) => kinds.includes(value))
    .map(({ label }) => label.toLowerCase())
    .join(', ');

type Request = Readonly<{
  state: State;
  author: Readonly<{ id: number }> | null;
  approvals: readonly unknown[];
}>;

export type Step = 'approve' | 'refuse' | 'withdraw' | 'schedule' | 'apply' | 'review';

/**
 * The server decides whether a step is allowed. `isCovered`: an approval covers the current effect.
 */
export function stepsFor(
  { state, author }: Request,
  { me, isPossible, isCovered }: Readonly<{ me: number; isPossible: boolean; isCovered: boolean }>,
): readonly Step[] {
  const isMine = author?.id === me;
  if (state === 'review_due') return isMine ? [] : ['review'];
  if (state !== 'open' && state !== 'approved' && state !== 'scheduled') return [];
  const end: Step = isMine ? 'withdraw' : 'refuse';
  if (!isPossible) return [end];
  if (!isCovered) return isMine ? [end] : ['approve', end];
  return ['apply', 'schedule', end];
}

type Listed = Pick<Request, 'state' | 'author'> &
  Readonly<{ approvals: readonly Readonly<{ by: Readonly<{ id: number }> }>[] }>;

/** The awaited step that this person can take. Null if the request waits for others. */
export function awaitedStep({ state, author, approvals }: Listed, me: number): Step | null {
  const isMine = author?.id === me;
  if (state === 'approved') return isMine ? 'apply' : null;
  if (isMine || approvals.some(({ by }) => by.id === me)) return null;
  return state === 'open' ? 'approve' : state === 'review_due' ? 'review' : null;
}

export const isEditable = ({ state, author }: Request, me: number): boolean =>
  author?.id === me && (state === 'open' || state === 'approved' || state === 'scheduled');
