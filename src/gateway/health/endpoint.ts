// Manages endpoints: an address with a credential that serves any number of models. An endpoint is probed once for all of
// them, and keeps its state across snapshots until it changes.

import type { CompiledBackend } from '../../snapshot/compile/models.ts';
import type { Tuning } from '../../snapshot/tuning.ts';
import type { EndpointState } from '../backend-state.ts';
import { unprobed } from './state.ts';

/**
 * An endpoint of the next generation is created or carried over when its first backend needs it.
 */
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
