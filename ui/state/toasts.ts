// Short notices at the edge of the page: what was done, and what can be done about it.

import { createStore } from '../lib/store.ts';
import type { Store } from '../lib/store.ts';

export type Toast = Readonly<{
  id: number;
  tone: 'good' | 'bad' | 'plain';
  text: string;
  /** Less important than the text, such as how far a version has got. */
  detail: string;
  action: Readonly<{ label: string; run: () => void }> | null;
}>;

export const toasts: Store<readonly Toast[]> = createStore<readonly Toast[]>([]);

const shownMs = 8_000;
const shownMax = 4;
let lastId = 0;

export type Notice = Readonly<{ update: (change: Partial<Omit<Toast, 'id'>>) => void }>;

/** Goes by itself unless it has an action or tells of a failure; the oldest goes first when there are too many. */
export function notify(given: Partial<Omit<Toast, 'id'>> & Pick<Toast, 'text'>): Notice {
  lastId += 1;
  const id = lastId;
  const toast: Toast = { id, tone: 'plain', detail: '', action: null, ...given };
  toasts.set([...toasts.get(), toast].slice(-shownMax));
  if (toast.tone !== 'bad')
    setTimeout(() => dismiss(id), toast.action === null ? shownMs : 600_000);
  return {
    update: (change) =>
      toasts.set(toasts.get().map((one) => (one.id === id ? Object.assign({}, one, change) : one))),
  };
}

export const dismiss = (id: number): void =>
  toasts.set(toasts.get().filter((one) => one.id !== id));
