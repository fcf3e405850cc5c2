// The single sign-on provider; null while unknown or if there is none.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export type SignOn = Readonly<{ label: string; hides_password: boolean }>;

export const signOn: Store<SignOn | null> = createStore<SignOn | null>(null);

/** A place of its own, for a tab that is opened to sign in and to be closed. */
export const signedInScreen = 'signed-in';
