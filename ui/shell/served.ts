// Loads the version of the process and whether an operator manages it. Screens work before this is
// known.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { call } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';

export class Served implements ReactiveController {
  /** Empty until loaded. */
  version = '';
  isManaged = false;
  failure: ApiFailure | null = null;
  readonly #host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {}

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
