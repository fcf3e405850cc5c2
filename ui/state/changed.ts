// Signals changes that no screen waits for, such as an undo, so that screens reload.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export const changed: Store<number> = createStore(0);

export const tellChanged = (): void => changed.set(changed.get() + 1);
