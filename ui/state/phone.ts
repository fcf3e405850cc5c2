// Whether the page is as narrow as a phone. Tables then show rows as cards.

import { createStore } from '../lib/store.ts';
import type { Store } from '../lib/store.ts';

const narrow = globalThis.matchMedia?.('(max-width: 30rem)') ?? null;

export const isPhone: Store<boolean> = createStore(narrow?.matches ?? false);

narrow?.addEventListener('change', ({ matches }) => isPhone.set(matches));
