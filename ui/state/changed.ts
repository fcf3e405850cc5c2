// That the configuration was changed by something that no screen waits for, such as an undo: what is shown is asked for anew.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

/** How often that was. */
export const changed: Store<number> = createStore(0);

export const tellChanged = (): void => changed.set(changed.get() + 1);
