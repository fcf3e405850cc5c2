// Forms that were typed into and are not saved. Who goes elsewhere is asked about them first.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

const typed = new Set<object>();

/** The way that was asked for while something was not saved; null when nobody goes. */
export const leaving: Store<(() => void) | null> = createStore<(() => void) | null>(null);

export const edited = (form: object): void => void typed.add(form);

/** A form that is drawn no more, or all of them once they are saved or given up. */
export function forgetEdits(form?: object): void {
  if (form === undefined) typed.clear();
  else typed.delete(form);
}

/** Goes at once when nothing would be lost by it. */
export function leave(go: () => void): void {
  if (typed.size === 0) go();
  else leaving.set(go);
}

export const isEdited = (): boolean => typed.size > 0;

/** The answer to the question. */
export function decideLeaving({ discard }: Readonly<{ discard: boolean }>): void {
  const go = leaving.get();
  leaving.set(null);
  if (!discard || go === null) return;
  forgetEdits();
  go();
}

/** A page that is closed or loaded anew is asked about by the browser. */
export function guardUnload(): void {
  addEventListener('beforeunload', (event) => {
    if (isEdited()) event.preventDefault();
  });
}
