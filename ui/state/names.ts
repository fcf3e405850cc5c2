// What is open, by the names that it has on the screen: the page, and what lies over it.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

type Named = Readonly<{ owner: object; name: string }>;

/** The innermost last, which is the one that was named last. */
export const openNames: Store<readonly Named[]> = createStore<readonly Named[]>([]);

/** Keeps its place by another name. */
export function nameOpen(owner: object, name: string): void {
  const named = openNames.get();
  const known = named.find((one) => one.owner === owner);
  if (known?.name === name) return;
  openNames.set(
    known === undefined
      ? [...named, { owner, name }]
      : named.map((one) => (one === known ? { owner, name } : one)),
  );
}

export function nameClosed(owner: object): void {
  const named = openNames.get();
  if (named.some((one) => one.owner === owner)) {
    openNames.set(named.filter((one) => one.owner !== owner));
  }
}
