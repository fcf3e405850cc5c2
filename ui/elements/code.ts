// Loads code of parts of the page on first use, with a skeleton while it loads and a retry if it
// fails.

import { html } from 'lit';
import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { loadCode } from '../api/http/code.ts';
import { ApiFailure, asFailure } from '../api/http/failure.ts';
import { failureNotice } from './loaded.ts';
import './skeleton.ts';

type State = 'coming' | 'there' | ApiFailure;

type Part = Readonly<{
  name: string;
  load: () => Promise<unknown>;
  draw: () => unknown;
  /** Wraps the skeleton or the failure. */
  failed?: (notice: unknown) => unknown;
}>;

export class Code implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #states = new Map<string, State>();

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {}

  isThere(name: string): boolean {
    return this.#states.get(name) === 'there';
  }

  shown({ name, load, draw, failed = (notice) => notice }: Part): unknown {
    const state = this.#states.get(name);
    if (state === 'there') return draw();
    if (state === undefined) void this.#ask(name, load);
    if (state instanceof ApiFailure) {
      return failed(failureNotice({ failure: state, reload: () => this.#ask(name, load) }));
    }
    return html`<gw-skeleton></gw-skeleton>`;
  }

  async #ask(name: string, load: Part['load']): Promise<void> {
    const isAgain = this.#states.has(name);
    this.#states.set(name, 'coming');
    if (isAgain) this.#host.requestUpdate();
    try {
      await loadCode(load);
      this.#states.set(name, 'there');
    } catch (error) {
      this.#states.set(name, asFailure(error));
    }
    this.#host.requestUpdate();
  }
}
