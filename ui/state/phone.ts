// Tells whether the page is as narrow as a phone. Tables then show rows as cards.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

const narrow = globalThis.matchMedia?.('(max-width: 30rem)') ?? null;

export const isPhone: Store<boolean> = createStore(narrow?.matches ?? false);

narrow?.addEventListener('change', ({ matches }) => isPhone.set(matches));
