// How people sign on beside a password, as the server says it; null while that is not known, and where there is no other way.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export type SignOn = Readonly<{ label: string; hides_password: boolean }>;

export const signOn: Store<SignOn | null> = createStore<SignOn | null>(null);
