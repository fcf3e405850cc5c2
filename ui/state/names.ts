// The names of what is open: the page and its overlays.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

type Named = Readonly<{ owner: object; name: string }>;

/** The innermost last. */
export const openNames: Store<readonly Named[]> = createStore<readonly Named[]>([]);

/** Keeps its place under a new name. */
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
