// The notices of a page: what was said of what was done, what of it stands at the edge of the page now, and what can be done about it
// later on.

export type Notice = Readonly<{
  id: number;
  /** Epoch milliseconds. */
  at: number;
  tone: 'good' | 'bad' | 'plain';
  text: string;
  /** Less important than the text, such as how far a version has got. */
  detail: string;
  action: Readonly<{ label: string; run: () => void }> | null;
  /** What became of it, in the place of the action. */
  outcome: string;
  /** The request whose change it tells of; null is none. */
  change: string | null;
  /** It stands at the edge of the page. */
  isShown: boolean;
}>;

type Change = Partial<Omit<Notice, 'id'>>;

const keptMax = 30;
const shownMax = 4;

/** A plain one says what whoever did it sees anyway: nobody looks for it later. */
const isKept = ({ isShown, tone, action }: Notice): boolean =>
  isShown || tone !== 'plain' || action !== null;

const withChange = (notice: Notice, change: Change): Notice => ({ ...notice, ...change });

/** Oldest first. The oldest at the edge of the page makes room there, and the oldest of all is forgotten. */
export function withNotice(notices: readonly Notice[], notice: Notice): readonly Notice[] {
  const all = [...notices, notice].slice(-keptMax);
  const shown = new Set(shownOf(all));
  return all.map((one) => withChange(one, { isShown: shown.has(one) })).filter(isKept);
}

export const shownOf = (notices: readonly Notice[]): readonly Notice[] =>
  notices.filter(({ isShown }) => isShown).slice(-shownMax);

export const withoutToast = (notices: readonly Notice[], id: number): readonly Notice[] =>
  changedWhere(notices, (one) => one.id === id, { isShown: false }).filter(isKept);

export const changedWhere = (
  notices: readonly Notice[],
  is: (notice: Notice) => boolean,
  change: Change,
): readonly Notice[] => notices.map((one) => (is(one) ? withChange(one, change) : one));
