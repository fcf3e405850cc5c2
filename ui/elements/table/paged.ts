// A list that shows the newest rows and loads older ones on demand. A new query loads it again from
// the beginning.

import { html } from 'lit';
import type { ReactiveControllerHost } from 'lit';

import { endOf, wantedFor, wantedMore } from '../../lib/page/pages.ts';
import type { Wanted } from '../../lib/page/pages.ts';
import { Resource } from '../resource.ts';

const steps = { first: 100, more: 500 };

type Options<Value> = Readonly<{
  /** Loads the first rows, as many as are shown. */
  load: (wanted: number, signal: AbortSignal) => Promise<Value>;
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

  /** The shown rows belong to another query, or the last load failed. */
  get isStale(): boolean {
    return this.resource.isOld || this.resource.failure !== null;
  }

  readonly #more = (): void => {
    if (this.#wanted !== null) this.#wanted = wantedMore(this.#wanted, steps);
    void this.resource.reload();
  };

  /** Draws the "Load older" button or the end of the list. `shown` counts the rows. */
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
