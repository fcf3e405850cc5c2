// Renders an element again when a value that it uses changes.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import type { Store } from '../lib/page/store.ts';

export class Watch<Value> implements ReactiveController {
  readonly #store: Store<Value>;
  readonly #host: ReactiveControllerHost;
  #stop: (() => void) | null = null;

  constructor(host: ReactiveControllerHost, store: Store<Value>) {
    this.#store = store;
    this.#host = host;
    host.addController(this);
  }

  get value(): Value {
    return this.#store.get();
  }

  hostConnected(): void {
    this.#stop = this.#store.subscribe(() => this.#host.requestUpdate());
  }

  hostDisconnected(): void {
    this.#stop?.();
  }
}
