// What carries a call: the network, or, in a page that stands alone, whatever reads the file that it shows.

import { createStore } from '../../lib/page/store.ts';
import type { Store } from '../../lib/page/store.ts';

type Transport = (url: string, init: RequestInit) => Promise<Response>;

export const transport: Store<Transport> = createStore<Transport>((url, init) => fetch(url, init));
