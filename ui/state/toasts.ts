// The notifications of this page.

import { changedWhere, shownOf, withNotice, withoutToast } from '../lib/page/notices.ts';
import type { Notice } from '../lib/page/notices.ts';
import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

/** Oldest first. */
export const notices: Store<readonly Notice[]> = createStore<readonly Notice[]>([]);

const shownMs = 8_000;
const actionMs = 600_000;
let lastId = 0;

type Given = Partial<Pick<Notice, 'tone' | 'detail' | 'action' | 'change'>> & Pick<Notice, 'text'>;

/**
 * Returns a function that updates the notification. It disappears by itself unless it reports a
 * failure; later if it has an action.
 */
export function notify(given: Given): (change: Pick<Notice, 'detail'>) => void {
  lastId += 1;
  const id = lastId;
  const notice: Notice = {
    id,
    at: Date.now(),
    tone: 'plain',
    detail: '',
    action: null,
    outcome: '',
    change: null,
    isShown: true,
    ...given,
  };
  notices.set(withNotice(notices.get(), notice));
  const isLong = notice.action !== null;
  if (notice.tone !== 'bad') setTimeout(() => dismiss(id), isLong ? actionMs : shownMs);
  return (change) => notices.set(changedWhere(notices.get(), (one) => one.id === id, change));
}

export const dismiss = (id: number): void => notices.set(withoutToast(notices.get(), id));

export const dismissAll = (): void => shownOf(notices.get()).forEach(({ id }) => dismiss(id));

/** In all notifications of a request. */
export const tellOf = (request: string, change: Pick<Notice, 'action' | 'outcome'>): void =>
  notices.set(changedWhere(notices.get(), (one) => one.change === request, change));
