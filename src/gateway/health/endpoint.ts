// An endpoint: an address with its credential, behind which any number of models lie. It is probed
// once for all of them, and keeps what was found from one snapshot to the next as long as it does
// not change.

import type { CompiledBackend } from '../../snapshot/compile/models.ts';
import type { Tuning } from '../../snapshot/tuning.ts';
import type { EndpointState } from '../backend-state.ts';
import { unprobed } from './state.ts';

/** The endpoints of the next generation. Each is created or taken over when its first backend asks for it. */
export class Endpoints {
  readonly #known: ReadonlyMap<string, EndpointState>;
  readonly #next = new Map<string, EndpointState>();
  readonly #tuning: Tuning;

  constructor(previous: readonly EndpointState[], tuning: Tuning) {
    this.#known = new Map(previous.map((endpoint) => [endpoint.identity, endpoint]));
    this.#tuning = tuning;
  }

  of(backend: CompiledBackend): EndpointState {
    const { endpoint: identity } = backend;
    const found = this.#next.get(identity);
    if (found !== undefined) return found;
    const tuning = this.#tuning;
    const held = this.#known.get(identity);
    const newest = { backend, tuning, backends: [] };
    const endpoint =
      held === undefined
        ? {
            identity,
            ...newest,
            reach: unprobed,
            passes: 0,
            listDigest: '',
            windows: new Map<string, number>(),
          }
        : Object.assign(held, newest);
    this.#next.set(identity, endpoint);
    return endpoint;
  }

  all(): readonly EndpointState[] {
    return [...this.#next.values()];
  }
}
