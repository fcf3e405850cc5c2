// Short notices at the edge of the page: what was done, and what can be done about it. Those that went away can be looked at again.

import { changedWhere, shownOf, withNotice, withoutToast } from '../lib/page/notices.ts';
import type { Notice } from '../lib/page/notices.ts';
import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

/** Of this page, oldest first. */
export const notices: Store<readonly Notice[]> = createStore<readonly Notice[]>([]);

const shownMs = 8_000;
const actionMs = 600_000;
let lastId = 0;

type Given = Partial<Pick<Notice, 'tone' | 'detail' | 'action' | 'change'>> & Pick<Notice, 'text'>;

/** Answers how to say more of it. Goes by itself unless it tells of a failure, later when it has an action. */
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

/** All that stand at the edge of the page. */
export const dismissAll = (): void => shownOf(notices.get()).forEach(({ id }) => dismiss(id));

/** Says what became of the change of a request, wherever it is told of. */
export const tellOf = (request: string, change: Pick<Notice, 'action' | 'outcome'>): void =>
  notices.set(changedWhere(notices.get(), (one) => one.change === request, change));
