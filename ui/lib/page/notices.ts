// Stores the notifications of a page: which are shown, and which actions they offer.

export type Notice = Readonly<{
  id: number;
  /** Epoch milliseconds. */
  at: number;
  tone: 'good' | 'bad' | 'plain';
  text: string;
  /** For example the progress of a version. */
  detail: string;
  action: Readonly<{ label: string; run: () => void }> | null;
  /** Replaces the action. */
  outcome: string;
  /** The request id of the change, or null. */
  change: string | null;
  /** At the edge of the page. */
  isShown: boolean;
}>;

type Change = Partial<Omit<Notice, 'id'>>;

const keptMax = 30;
const shownMax = 4;

/** Plain notifications are not kept, because the user sees their effect. */
const isKept = ({ isShown, tone, action }: Notice): boolean =>
  isShown || tone !== 'plain' || action !== null;

const withChange = (notice: Notice, change: Change): Notice => ({ ...notice, ...change });

/** Oldest first. The oldest shown one makes room at the edge, and the oldest of all is dropped. */
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
