// A list of which the newest rows are shown, and older ones on demand: asked anew from its beginning when the address says another one,
// by whatever way it came there.

import { html } from 'lit';
import type { ReactiveControllerHost } from 'lit';

import { endOf, wantedFor, wantedMore } from '../../lib/page/pages.ts';
import type { Wanted } from '../../lib/page/pages.ts';
import { Resource } from '../resource.ts';

const steps = { first: 100, more: 500 };

type Options<Value> = Readonly<{
  /** The first so many rows, as they are shown. */
  load: (wanted: number, signal: AbortSignal) => Promise<Value>;
  /** What is asked, as a text. */
  asked: () => string;
  pollMs?: number | (() => number | null);
}>;

export class Paged<Value> {
  readonly resource: Resource<Value>;
  #wanted: Wanted | null = null;

  constructor(host: ReactiveControllerHost, { load, asked, pollMs }: Options<Value>) {
    this.resource = new Resource(
      host,
      async (signal) => {
        const wanted = wantedFor(this.#wanted, asked(), steps);
        this.#wanted = wanted;
        const value = await load(wanted.rows, signal);
        if (this.#wanted === wanted) this.#wanted = { ...wanted, answered: wanted.rows };
        return value;
      },
      { question: asked, ...(pollMs === undefined ? {} : { pollMs }) },
    );
  }

  /** What is shown is of another question, or the last attempt failed. */
  get isStale(): boolean {
    return this.resource.isOld || this.resource.failure !== null;
  }

  readonly #more = (): void => {
    if (this.#wanted !== null) this.#wanted = wantedMore(this.#wanted, steps);
    void this.resource.reload();
  };

  /** Below the list: the way to more of it, or that there is none. `shown` counts its rows. */
  rest(shown: number, order: 'asc' | 'desc' = 'desc') {
    const end = endOf(this.#wanted, { shown, isLoading: this.resource.loading });
    const way = `${end === 'coming' ? 'Loading' : 'Load'} ${order === 'asc' ? 'newer' : 'older'}`;
    return html`<div class="more">
      ${
        end === 'all'
          ? html`<span>End of list</span>`
          : html`<button type="button" ?disabled=${end === 'coming'} @click=${this.#more}>
              ${way}
            </button>`
      }
    </div>`;
  }
}
