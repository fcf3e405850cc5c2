// Transports calls: over the network, or in the viewer to its worker.

import { createStore } from '../../lib/page/store.ts';
import type { Store } from '../../lib/page/store.ts';

type Transport = (url: string, init: RequestInit) => Promise<Response>;

export const transport: Store<Transport> = createStore<Transport>((url, init) => fetch(url, init));
