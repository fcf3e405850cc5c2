// What the process is that serves the page: its version, and whether something manages it. Screens do without while it is not known.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { call } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';

export class Served implements ReactiveController {
  /** Empty until it is known. */
  version = '';
  isManaged = false;
  /** Why it is not known. */
  failure: ApiFailure | null = null;
  readonly #host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    // Asked for with the first screen, by whoever is in by then.
  }

  readonly reload = async (): Promise<void> => {
    try {
      const { body } = await call('GET', '/admin/config');
      this.version = body.version;
      this.isManaged = body.deployment_managed;
      this.failure = null;
    } catch (error) {
      this.failure = asFailure(error);
    }
    this.#host.requestUpdate();
  };
}
