// What the lists of the history are filtered by. The server filters; the address has it.

import { LitElement, css, html, nothing } from 'lit';

import { listPrincipals } from '../../api/principals.ts';
import { Resource } from '../../elements/resource.ts';
import { Watch } from '../../elements/watch.ts';
import { presets } from '../../lib/range.ts';
import { changeQuery, place } from '../../state/location.ts';
import { base, buttons, controls } from '../../styles/base.ts';

type Name = 'actor' | 'stream' | 'type' | 'since';

export class GwHistoryFilters extends LitElement {
  static override properties = { typed: { type: Boolean } };
  static override styles = [
    base,
    buttons,
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        margin-bottom: var(--space-3);
      }

      select,
      input {
        width: auto !important;
        min-width: 0;
      }

      input {
        flex: 0 1 13rem;
      }
    `,
  ];
  /** Offers types of events, too. */
  declare typed: boolean;
  readonly #place = new Watch(this, place);
  readonly #people = new Resource(this, async (signal) => {
    const all = await listPrincipals(signal);
    return all.filter(({ kind }) => kind === 'user');
  });

  constructor() {
    super();
    this.typed = false;
  }

  protected override render() {
    const { actor = '', stream = '', type = '', since = '' } = this.#place.value.query;
    return html`<select aria-label="Who" @change=${this.#onFilter('actor')}>
        <option value="">Anybody</option>
        ${(this.#people.value ?? []).map(
          ({ id, name }) =>
            html`<option value=${id} ?selected=${String(id) === actor}>${name}</option>`,
        )}
      </select>
      <input
        type="search"
        aria-label="Entity"
        placeholder="Entity, such as model-7"
        spellcheck="false"
        .value=${stream}
        @change=${this.#onFilter('stream')}
      />
      ${
        this.typed
          ? html`<input
              type="search"
              aria-label="Type of event"
              placeholder="Type, such as ModelPriced"
              spellcheck="false"
              .value=${type}
              @change=${this.#onFilter('type')}
            />`
          : nothing
      }
      <select aria-label="Since" @change=${this.#onFilter('since')}>
        <option value="">At any time</option>
        ${presets.map(
          ({ text, label }) =>
            html`<option value=${text} ?selected=${text === since}>${label}</option>`,
        )}
      </select>
      ${
        actor + stream + type + since === ''
          ? nothing
          : html`<button type="button" class="plain" @click=${this.#onClear}>Clear filters</button>`
      }
      <slot></slot>`;
  }

  readonly #onFilter =
    (name: Name) =>
    ({ target }: Event): void => {
      if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) {
        changeQuery({ [name]: target.value.trim() });
      }
    };

  readonly #onClear = (): void =>
    changeQuery({ actor: null, stream: null, type: null, since: null });
}

customElements.define('gw-history-filters', GwHistoryFilters);

declare global {
  interface HTMLElementTagNameMap {
    'gw-history-filters': GwHistoryFilters;
  }
}
