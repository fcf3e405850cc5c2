// A list of which the newest rows are shown, and older ones on demand: asked anew from its beginning when the address says another one,
// by whatever way it came there.

import { html } from 'lit';
import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { Resource } from './resource.ts';

const pageRows = 100;

type Options<Value> = Readonly<{
  /** The first so many rows, as they are shown. */
  load: (wanted: number, signal: AbortSignal) => Promise<Value>;
  /** What is asked, as a text. */
  asked: () => string;
  pollMs?: number | (() => number | null);
}>;

export class Paged<Value> implements ReactiveController {
  readonly resource: Resource<Value>;
  readonly #options: Options<Value>;
  #wanted = pageRows;
  #asked: string | null = null;

  constructor(host: ReactiveControllerHost, options: Options<Value>) {
    this.#options = options;
    const { load, pollMs } = options;
    this.resource = new Resource(
      host,
      (signal) => load(this.#wanted, signal),
      pollMs === undefined ? {} : { pollMs },
    );
    host.addController(this);
  }

  hostUpdate(): void {
    const asked = this.#options.asked();
    if (this.#asked !== null && asked !== this.#asked) {
      this.#wanted = pageRows;
      void this.resource.reload();
    }
    this.#asked = asked;
  }

  readonly #more = (): void => {
    this.#wanted += pageRows * 5;
    void this.resource.reload();
  };

  /** Below the list: the way to more of it, or that there is none. `shown` counts its rows. */
  rest(shown: number, order: 'asc' | 'desc' = 'desc') {
    return html`<div class="more">
      ${
        shown < this.#wanted
          ? html`<span>That is all of it.</span>`
          : html`<button type="button" @click=${this.#more}>
              Load ${order === 'asc' ? 'newer' : 'older'}
            </button>`
      }
    </div>`;
  }
}
