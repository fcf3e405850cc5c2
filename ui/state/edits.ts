// Tracks forms with unsaved input, and asks before leaving them.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

const typed = new Set<object>();

/** The navigation that waits for the answer, or null. */
export const leaving: Store<(() => void) | null> = createStore<(() => void) | null>(null);

export const edited = (form: object): void => void typed.add(form);

/** Forgets all forms without an argument, after a save or a discard. */
export function forgetEdits(form?: object): void {
  if (form === undefined) typed.clear();
  else typed.delete(form);
}

/** Navigates at once if nothing is lost. */
export function leave(go: () => void): void {
  if (typed.size === 0) go();
  else leaving.set(go);
}

export const isEdited = (): boolean => typed.size > 0;

export function decideLeaving({ discard }: Readonly<{ discard: boolean }>): void {
  const go = leaving.get();
  leaving.set(null);
  if (!discard || go === null) return;
  forgetEdits();
  go();
}

/** The browser asks before the page is closed or reloaded. */
export function guardUnload(): void {
  addEventListener('beforeunload', (event) => {
    if (isEdited()) event.preventDefault();
  });
}
